"""Words that carry grammar, not matter, in English and Chinese."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = _listed(
    """
    a about after all also am among an and another any are as at be because been before being
    between both but by can could did do does doing done during each either else ever every few
    for from get gets got had has have having he hence her here hers him his how however i if in
    into is it its itself just let like made make makes many may me might more most much must my
    near neither no nor not of off often on once one only onto or other our out over own per
    please same shall she should since so some still such than that the their them then there
    therefore these they this those through thus to too toward towards under until up upon us
    used use uses using very via was we were what when where whereas whether which while who
    whom whose why will with within without would yes yet you your yours s t d ll m re ve don
    doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn tell give name
    according called known kind type sort example term
    """
)

CHINESE = _listed(
    """
    的 了 在 是 和 与 及 或 而 于 为 被 把 将 对 从 到 由 以 等 之 其 这 那 该 此 各 每 某 也 都
    就 还 又 很 最 更 已 曾 并 并且 以及 而且 但 但是 因为 所以 如果 虽然 不过 可以 能 能够 会 要
    应 应该 有 没有 个 些 一个 一些 这个 那个 这些 那些 我 你 您 他 她 它 我们 你们 他们 她们
    它们 自己 什么 谁 哪 哪个 哪些 哪里 哪儿 何 何时 何处 何人 怎么 怎样 怎么样 如何 为什么 为何
    多少 几 多 吗 呢 吧 啊 呀 着 过 地 得 所 者 中 上 下 里 内 外 时 时候 后 前 间 当 当时 关于
    根据 通过 进行 使用 请 请问 告诉 哪位 哪一 哪一年 哪年 什么样 什么时候 多久 多大 多长 多高
    多远 是否 能否 可否 叫 叫做 称为 称 名字 名称 又 一 第 位 种 年 月 日 号 天 次 处 由于 其中
    之间 之后 之前 以后 以前 那么 这样 那样 只 仅 才 再 却 则 即 便 让 给 向 往 跟 同 比 按 按照
    随着 作为 成为 属于 位于 指 称作
    """
)

EVERYDAY = _listed(
    """
    ability able above absolute accept access accord account achieve acquire across act action
    active activity actual add addition address adequate adjust admit adopt advance advantage
    affect afford age agency ago agree aim air allow almost alone along already alter alternative
    although always amount ample analysis ancient announce annual answer anybody apart apparent
    appeal appear apply appoint approach appropriate approve approximate area argue argument arise
    arm around arrange arrive article aside ask aspect assess assign assist associate assume
    attach attack attempt attend attention attitude attract audience author authority available
    average avoid award aware away back bad balance ban base based basic basis battle bear beat
    beautiful become bed began begin beginning behavior behaviour behind belief believe belong
    below benefit best better beyond big bill bit black blow blue board body book border born
    borrow boss bottom bound box boy branch brand breadth break brief bring broad brother build
    building built business busy buy calculate call came campaign candidate cannot capable
    capacity capital car card care career careful carry case cast catch category cause cease
    celebrate cell center central centre century ceremony certain chain chair challenge chance
    change channel chapter character characteristic charge cheap check chief child children choice
    choose circle circumstance cite citizen city civil claim class classic classify clean clear
    climb close coast cold collect collection college color colour combine come comment commerce
    commit committee common communicate community company compare comparison compete complain
    complete complex component compose comprise concept concern conclude condition conduct
    conference confirm conflict connect consequence consider consist constant construct contact
    contain contemporary content context continue contract contrary contrast contribute control
    convert convince cool copy core correct cost count country couple course court cover create
    creation credit crime crisis critic critical criticize crowd cultural culture current custom
    cut daily damage danger dangerous dark data date daughter day days dead deal death debate
    decade decide decision declare decline decrease deep defeat defend define definition degree
    deliver demand democracy demonstrate deny department depend describe description design desire
    despite destroy detail determine develop development device dialogue die differ difference
    different difficult difficulty dinner direct direction director disappear discover discuss
    discussion disease display distance distinct distinguish distribute district divide division
    document dominate door double doubt down draw dream drive drop due duration during duty eager
    early earn earth ease east easy eat economic economy edge educate education effect effective
    efficient effort elect element eliminate emerge emphasis employ enable encounter encourage end
    enemy energy engage enjoy enough ensure enter entire entity environment equal equipment
    equivalent era escape especially essential establish estimate evaluate even event eventual
    everybody evidence evil evolve exact examine except exceptional exchange exclude exercise
    exist existence expand expect expensive experience experiment expert explain express extend
    extent external extra extreme face fact factor fail failure fair fall familiar family famous
    far fast father fear feature feel female few field fight figure fill film final finance
    financial find fine finish fire firm first fit five fix flow fly focus follow following food
    foot force foreign forget form formal former forward found foundation four frame free freedom
    frequent friend front full function fund fundamental further future gain game gather general
    generate gentle get girl goal good govern government grade gradual grant great greater green
    ground group grow growth guarantee guess guide habit half hall hand handle hang happen happy
    hard head health hear heart heat heavy height help hide high higher highlight history hit hold
    home hope host hot hour hours house huge human hundred husband idea ideal identify identity
    ignore illustrate image imagine immediate impact implement imply import important impossible
    impress improve inability include including income incorporate increase independent indicate
    individual industry infer influence inform information initial initiate inside insist instance
    instead institution instruct intend intense interest internal international interpret
    intervene introduce invade invent invest investigate invite involve island issue item items
    job join journal journey judge jump justify keep key kill kind kingdom know knowledge labor
    labour lack land language large larger largest last late later latter launch law lay layer
    lead leader learn least leave led left legal legislation length less let letter level liberal
    lie life light like limit limitation line link list listen literature little live load local
    locate location logic long longer longest look lose loss lost lot love low machine main
    maintain major majority make male man manage manner manufacture many map mark market mass
    master match material matter maximum mean meaning means measure mechanism media medical meet
    member men mental mention merely message method mid middle might mile military million mind
    minimum minor minute miss mission mix model modern moment money month months moral mother
    motion motivate mount mouth move movement multiple music name narrow nation national native
    natural nature near necessary necessity need negative neglect neighbor neighbour net network
    never nevertheless new news next night nominal normal north note notice notion number numerous
    obey object objective observe obtain obvious occasion occupy occur offer office officer
    official old once open operate operation opinion opportunity oppose opposite option order
    ordinary organisation organise organization organize origin original others outcome outside
    overall overcome own owner page paint pair paper parent part partial participate particular
    partner parts party pass past path pattern pay peace people percent perfect perform
    performance perhaps period permanent permit person personal perspective phase phenomenon
    phrase physical pick picture piece place plan plant play point policy political poor popular
    population portion portray position positive possess possibility possible potential power
    powerful practical practice precede precise predict prefer prepare presence present preserve
    president press pressure pretty prevent previous price primary prime principal principle prior
    private probable problem procedure proceed process produce product production profession
    professional program programme progress prohibit project promise promote proper property
    proportion propose protect prove provide public publish pull purchase pure purpose pursue push
    put quality quantity quarter question quick quite race radical raise range rank rare rate
    rather ratio reach react read ready real realise reality realize reason receive recent
    recognise recognize recommend record recover reduce refer reference reflect reform refuse
    regard region register regular reject relate related relation relationship relative release
    relevant relief religion religious rely remain remember remove repeat replace report represent
    require research resemble reserve resist resolve resource respect respond response responsible
    rest restore restrict result retain return reveal review revolution rich right rise risk river
    road role room round route rule run safe said sale same sample save say scale scene schedule
    school science scientific scientist score sea search season second section sector secure see
    seek seem select sell send sense separate series serious serve service set settle several
    severe shape share sharp ship short show side sight sign significant silence similar simple
    simultaneous sing single sister site situate situation size skill slight slow small smaller
    social society soft sole solution solve sort soul sound source south space speak special
    specific specify speech speed spend spite spread stable staff stage stand standard star start
    state statement states status stay step stick stock stop store story strange strategy street
    strength stress strict strike strong structure struggle student study style subject submit
    substance substantial succeed success successful sudden suffer sufficient suggest suit sum
    supply support suppose sure surface surprise surround survey survive switch symbol system
    table take taken talk target task tax teach team technical technique technology ten tend term
    test text thank theory thing things think third thought thousand thread threat three
    throughout throw tie time times tiny title today together tone took top topic total touch tour
    toward town track trade tradition traditional train transfer transform translate transport
    travel treat treatment trend trial trip trouble true trust truth try turn twice two type
    typical ultimate understand undertake unique unit united university unknown upper urban user
    usual usually utilize vague valid valuable value variety various vary vast version victim
    victory view village violence visible vision visit visual voice volume vote wait walk wall
    want war warm watch water way weak wealth wear weather week weeks weigh weight well went west
    whole wide wife wild win wind window wise wish woman wonder word words work world worry worth
    write written wrong year years yet young
    """
)
"""Everyday English words: they tell less than names and terms do."""


def is_function_word(form: str) -> bool:
    """Tell whether a lower-case word only carries grammar."""
    return form in ENGLISH or form in CHINESE
