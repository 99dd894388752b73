"""Units of measure and money, English and Chinese, with their exact factors.

A line is ``family factor: spellings``; ``_`` stands for a blank. Figures of one family are compared
in its base unit, whose factor is 1. Factors are exact by definition
(https://www.nist.gov/pml/special-publication-811, appendix B); what is no exact conversion, a month
in days for instance, is none here. A lone ``A``, ``in`` or ``d`` is left out: as a word it is more
frequent than as a unit.
"""

from __future__ import annotations

MEASURES = """
time 1/1000: ms msec millisecond milliseconds 毫秒
time 1: s sec secs second seconds 秒 秒钟
time 60: min mins minute minutes 分钟
time 900: 刻钟
time 3600: h hr hrs hour hours 小时 个小时 钟头 个钟头
time 86400: day days workday workdays weekday weekdays night nights
time 86400: 天 日 工作日 个工作日 自然日 个自然日 晚
time 604800: week weeks wk wks 周 个周 星期 个星期 礼拜 个礼拜
time 1209600: fortnight fortnights
months 1: month months mo 个月
months 3: 个季度
months 12: year years yr yrs year-old 年 周年 周岁 週歲 周歲
months 120: decade decades
months 1200: century centuries 个世纪
months 12000: millennium millennia
length 1/1000000000: nm nanometre nanometres nanometer nanometers 纳米
length 1/1000000: µm μm um micrometre micrometres micron microns 微米
length 1/1000: mm millimetre millimetres millimeter millimeters 毫米
length 1/100: cm centimetre centimetres centimeter centimeters 厘米 公分
length 1/10: dm 分米
length 1: m metre metres meter meters 米 公尺
length 1000: km KM kilometre kilometres kilometer kilometers 公里 千米
length 500: 里
length 254/10000: inch inches 英寸 英吋 吋
length 3048/10000: ft foot feet 英尺 英呎 呎
length 9144/10000: yd yard yards 码
length 1609344/1000: mi mile miles 英里 哩
area 1/1000000: mm² mm2 square_millimetres square_millimeters 平方毫米
area 1/10000: cm² cm2 square_centimetres square_centimeters 平方厘米
area 1: m² m2 ㎡ sqm square_metre square_metres square_meter square_meters 平方米 平米 平方公尺
area 1000000: km² km2 ㎢ square_kilometre square_kilometres square_kilometer square_kilometers
area 1000000: 平方公里 平方千米
area 10000: ha hectare hectares 公顷
area 2000/3: 亩
area 9290304/100000000: sqft ft² ft2 sq_ft square_foot square_feet 平方英尺
area 2589988110336/1000000: sq_mi square_mile square_miles 平方英里 平方哩
area 40468564224/10000000: acre acres 英亩
volume 1/1000: ml mL ML cc cm³ cm3 millilitre millilitres milliliter milliliters
volume 1/1000: cubic_centimetres cubic_centimeters 毫升 立方厘米
volume 1/100: cl cL centilitre centilitres centiliter centiliters
volume 1/10: dl dL
volume 1: l L ℓ dm³ litre litres liter liters 升 公升
volume 1000: m³ m3 cubic_metre cubic_metres cubic_meter cubic_meters 立方米
mass 1/1000000: µg μg mcg 微克
mass 1/1000: mg milligram milligrams 毫克
mass 1: g gram grams gramme grammes 克
mass 1000: kg Kg KG kilo kilos kilogram kilograms kilogramme kilogrammes 公斤 千克
mass 500: 斤
mass 1000000: t tonne tonnes 吨 公吨
mass 45359237/100000: lb lbs pound pounds 磅
mass 45359237/1600000: oz ounce ounces 盎司
temperature 1: °C ℃ degrees_Celsius degrees_celsius degrees_C 摄氏度 摄氏
power 1/1000: mW 毫瓦
power 1: W watt watts 瓦 瓦特
power 1000: kW KW kilowatt kilowatts 千瓦
power 1000000: MW megawatt megawatts 兆瓦
power 1000000000: GW gigawatt gigawatts
energy 1: J joule joules 焦 焦耳
energy 1000: kJ kilojoule kilojoules 千焦
energy 3600: Wh watt-hour watt-hours 瓦时
energy 3600000: kWh KWh kilowatt-hour kilowatt-hours kilowatt_hour kilowatt_hours 千瓦时 度电
energy 3600000000: MWh megawatt-hours
nutrition 1000: kcal kilocalorie kilocalories 大卡 千卡
nutrition 1: cal 卡路里
voltage 1/1000: mV
voltage 1: V volt volts 伏 伏特
voltage 1000: kV kilovolt kilovolts 千伏
current 1/1000: mA milliamp milliamps milliampere milliamperes 毫安
current 1: amp amps ampere amperes 安培
charge 1: mAh 毫安时
charge 1000: Ah 安时
frequency 1: Hz hertz 赫兹 赫
frequency 1000: kHz KHz kilohertz 千赫 千赫兹
frequency 1000000: MHz megahertz 兆赫 兆赫兹
frequency 1000000000: GHz gigahertz 吉赫 吉赫兹
data 1000: KB kB kilobyte kilobytes
data 1000000: MB megabyte megabytes
data 1000000000: GB gigabyte gigabytes
data 1000000000000: TB terabyte terabytes
binary 1024: KiB
binary 1048576: MiB
binary 1073741824: GiB
rate 1000: kbps kbit/s kb/s kilobits_per_second
rate 1000000: Mbps Mbit/s Mb/s megabits_per_second
rate 1000000000: Gbps Gbit/s Gb/s gigabits_per_second
rate 8000: kB/s KB/s kilobytes_per_second
rate 8000000: MB/s MBps megabytes_per_second
rate 8000000000: GB/s GBps gigabytes_per_second
light 1: lm lumen lumens 流明
illuminance 1: lx lux 勒克斯
pressure 1: Pa pascal pascals 帕
pressure 100: hPa mbar millibar millibars
pressure 1000: kPa kilopascal kilopascals 千帕
pressure 1000000: MPa 兆帕
pressure 100000: bar bars
pressure 44482216152605/6451600000: psi
torque 1: Nm N·m newton-metres newton-meters 牛米
sound 1: dB decibel decibels 分贝
rotation 1: rpm 转/分 转每分钟
speed 1: m/s metres_per_second meters_per_second 米/秒 米每秒
speed 5/18: km/h kmh kph kilometres_per_hour kilometers_per_hour
speed 5/18: 公里/小时 千米/小时 公里每小时 千米每小时
speed 463/900: kn knot knots
speed 44704/100000: mph miles_per_hour
percent 1/100: % ％ percent per_cent pct percentage_point percentage_points 个百分点 百分点
percent 1/1000: ‰
percent 1/10: 成
"""

CURRENCIES = """
$ USD AUD CAD HKD NZD SGD TWD MXN: $ dollar dollars
USD $: USD US$ 美元 美金 US_dollar US_dollars
AUD $: AUD A$ 澳元 Australian_dollars
CAD $: CAD C$ CA$ 加元 Canadian_dollars
HKD $ 元: HKD HK$ 港元 港币 Hong_Kong_dollars
TWD $ 元: TWD NT$ 新台币 台币 元新台币
SGD $: SGD S$ 新元
MXN $: MXN
NZD $: NZD NZ$
EUR: EUR € euro euros 欧元
GBP £: GBP £ ￡ 英镑
£ GBP: pound pounds
CNY ¥ 元: CNY RMB 人民币 元人民币 yuan renminbi
¥ CNY JPY: ¥ ￥
JPY ¥: JPY yen 日元 日圆
元 CNY HKD TWD: 元 块 块钱 圆
KRW: KRW ₩ 韩元
INR: INR ₹ rupee rupees 卢比
CHF: CHF franc francs Swiss_francs 瑞士法郎 法郎
RUB: RUB ₽ ruble rubles rouble roubles 卢布
SEK: SEK
NOK: NOK
DKK: DKK
PLN: PLN zł
BRL: BRL R$
"""
"""Each spelling with all that it may mean: two amounts agree where their meanings meet."""

SCALES = """
100: hundred
1000: thousand k K
1000000: million mn m M
1000000000: billion bn b B
1000000000000: trillion
100000: lakh
10000000: crore
12: dozen
"""
"""Words behind a figure that multiply it; the single letters only right behind it."""
