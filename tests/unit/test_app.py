from pathlib import Path

import pytest

import chains
import prompts
import ragqa
from ragqa.app.home import made_home
from ragqa.app.indexing import groups_by_folder, listed
from ragqa.app.narrowed import narrowed
from ragqa.app.own_packages import require_own_packages
from ragqa.app.parts import policy_for
from ragqa.app.priced import priced
from ragqa.contract import (
    CHINESE_CATEGORIES,
    DEFAULT_CATEGORIES,
    Caller,
    Passage,
    Strategy,
    Usage,
)
from ragqa.errors import ConfigError
from ragqa.ports import ModelReply, ModelRequest, SearchQuery
from ragqa.settings import Price, Settings


def load(tmp_path, toml="", **overrides):
    (tmp_path / "ragqa.toml").write_text(toml, encoding="utf-8")
    return Settings.load(cwd=tmp_path, environ={}, **overrides)


class TestPolicy:
    def test_every_setting_of_the_policy_arrives(self, tmp_path):
        policy = policy_for(
            load(
                tmp_path,
                top_k=7,
                max_context_chars=900,
                max_prompt_tokens=3000,
                max_answer_tokens=400,
                temperature=0.5,
                timeout_s=9,
                run_budget_tokens=9000,
                handling={"syntax": "raise"},
                price_unit="EUR",
                strict_confidence=False,
                fallback="extractive",
                raise_degraded=True,
                entities=True,
                max_answer_chars=300,
            )
        )
        assert (policy.top_k, policy.max_context_chars, policy.max_prompt_tokens) == (7, 900, 3000)
        assert (policy.max_answer_tokens, policy.temperature, policy.timeout_s) == (400, 0.5, 9)
        assert (policy.run_budget_tokens, policy.price_unit) == (9000, "EUR")
        assert policy.handling == {"syntax": "raise"}
        assert not policy.strict_confidence
        assert policy.fallback == "extractive"
        assert policy.raise_degraded
        assert "entities" in policy.schema.model_fields
        assert policy.schema.max_answer_chars == 300

    @pytest.mark.parametrize(
        ("given", "names"),
        [
            (None, DEFAULT_CATEGORIES),
            ("en", DEFAULT_CATEGORIES),
            ("zh", CHINESE_CATEGORIES),
            ("billing, other", ("billing", "other")),
        ],
    )
    def test_categories(self, tmp_path, given, names):
        policy = policy_for(load(tmp_path, categories=given))
        assert policy.schema.categories == names
        assert tuple(category.name for category in policy.categories) == names

    def test_a_category_of_the_file_has_its_words_and_its_strategy(self, tmp_path):
        toml = """
            [categories.billing]
            description = "Invoices"
            keywords = ["invoice"]
            examples = ["Where is my invoice?"]
            strategy = { k = 3, filter = { team = "finance" }, boost = { "prices.csv" = 2.0 } }
        """
        (billing,) = policy_for(load(tmp_path, toml)).categories
        assert (billing.description, billing.keywords) == ("Invoices", ("invoice",))
        assert billing.examples == ("Where is my invoice?",)
        expected = Strategy(filter={"team": "finance"}, k=3, boost={"prices.csv": 2.0})
        assert billing.strategy == expected


class Shelf:
    """A retriever over passages in memory that keeps what it was asked."""

    def __init__(self, scores):
        self.asked = []
        self.passages = [Passage(id=str(s), title="t", score=s, text="x") for s in scores]

    def retrieve(self, query, config=None):
        self.asked.append(query)
        return self.passages

    async def aretrieve(self, query, config=None):
        return self.retrieve(query, config)

    def version(self):
        return "v1"


class TestNarrowed:
    def test_without_filter_and_threshold_it_is_the_retriever_itself(self):
        shelf = Shelf([1])
        assert narrowed(shelf, {}, None) is shelf

    async def test_what_scores_less_is_left_out(self):
        narrow = narrowed(Shelf([3, 2, 1]), {}, 2)
        assert [p.score for p in narrow.retrieve(SearchQuery("x"))] == [3, 2]
        assert [p.score for p in await narrow.aretrieve(SearchQuery("x"))] == [3, 2]

    def test_the_filter_of_the_settings_holds_beside_that_of_a_category(self):
        shelf = Shelf([1])
        query = SearchQuery("x", strategy=Strategy(filter={"a": 1, "b": 1}), caller=Caller("me"))
        narrowed(shelf, {"b": 2}, None).retrieve(query)
        assert shelf.asked[0].strategy.filter == {"a": 1, "b": 2}
        assert shelf.asked[0].caller == query.caller

    def test_filter_and_threshold_belong_to_the_version(self):
        versions = {
            narrowed(Shelf([1]), conditions, score).version()
            for conditions, score in (({}, None), ({"a": "1"}, None), ({}, 2.0))
        }
        assert len(versions) == 3


class Talker:
    """A chat model that always says the same."""

    name = "m at nowhere"
    reply = ModelReply(
        "{}", usage=Usage(calls=1, prompt_tokens=3000, completion_tokens=500, cached_tokens=1000)
    )

    def complete(self, request, config=None):
        return self.reply

    async def acomplete(self, request, config=None):
        return self.reply

    def stream(self, request, config=None):
        yield "{"
        yield self.reply

    async def astream(self, request, config=None):
        yield "{"
        yield self.reply


class TestPriced:
    REQUEST = ModelRequest(messages=())

    @pytest.mark.parametrize(
        ("price", "cost"),
        [
            (Price(prompt=2, completion=8), 0.01),
            (Price(prompt=2, completion=8, cached=1), 0.009),
            (Price(prompt=0, completion=0), 0),
        ],
    )
    async def test_every_way_of_asking_tells_the_cost(self, price, cost):
        model = priced(Talker(), price)
        replies = [
            model.complete(self.REQUEST),
            await model.acomplete(self.REQUEST),
            list(model.stream(self.REQUEST))[-1],
            [piece async for piece in model.astream(self.REQUEST)][-1],
        ]
        assert [reply.usage.cost for reply in replies] == pytest.approx([cost] * 4)
        assert all(reply.usage.prompt_tokens == 3000 for reply in replies)
        assert next(model.stream(self.REQUEST)) == "{"
        assert model.name == Talker.name

    def test_without_a_price_it_is_the_model_itself(self):
        talker = Talker()
        assert priced(talker, None) is talker
        assert priced(None, Price(prompt=1, completion=1)) is None


class TestFolderGroups:
    def test_the_innermost_folder_decides(self, tmp_path):
        table = {"docs/hr": ("people",), "docs/hr/open": ("*",), str(tmp_path / "abs"): ("a", "b")}
        groups_of = groups_by_folder(table, tmp_path)
        assert groups_of(tmp_path / "docs/hr/pay.md") == ("people",)
        assert groups_of(tmp_path / "docs/hr/open/x.md") == ("*",)
        assert groups_of(tmp_path / "abs/x.md") == ("a", "b")
        assert groups_of(tmp_path / "docs/hr-open/x.md") is None
        assert groups_of(tmp_path / "docs/other.md") is None

    def test_a_link_into_a_closed_folder_stays_closed(self, tmp_path):
        (tmp_path / "hr").mkdir()
        (tmp_path / "hr/pay.md").write_text("x")
        (tmp_path / "link.md").symlink_to(tmp_path / "hr/pay.md")
        assert groups_by_folder({"hr": ("people",)}, tmp_path)(tmp_path / "link.md") == ("people",)

    def test_without_a_table_nothing_is_asked(self, tmp_path):
        assert groups_by_folder({}, tmp_path) is None


class TestHome:
    def home(self, tmp_path, name=".ragqa"):
        return made_home(Settings(home=tmp_path / name))

    def test_a_new_one_is_private_and_ignored(self, tmp_path):
        home = self.home(tmp_path, "deep/er")
        assert home.stat().st_mode & 0o777 == 0o700
        assert (home / ".gitignore").read_text() == "*\n"

    def test_an_empty_one_is_taken_over_and_ours_is_made_private_again(self, tmp_path):
        (tmp_path / ".ragqa").mkdir(mode=0o755)
        home = self.home(tmp_path)
        assert home.stat().st_mode & 0o777 == 0o700
        home.chmod(0o755)
        assert self.home(tmp_path).stat().st_mode & 0o777 == 0o700

    def test_one_that_holds_other_things_is_left_as_it_is(self, tmp_path):
        (tmp_path / "work").mkdir(mode=0o755)
        (tmp_path / "work/thesis.md").write_text("x")
        home = self.home(tmp_path, "work")
        assert home.stat().st_mode & 0o777 == 0o755
        assert not (home / ".gitignore").exists()

    def test_a_gitignore_of_somebody_else_stays(self, tmp_path):
        (tmp_path / "work").mkdir(mode=0o755)
        (tmp_path / "work/.gitignore").write_text("build/\n")
        assert (self.home(tmp_path, "work") / ".gitignore").read_text() == "build/\n"

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / ".ragqa").write_text("x")
        with pytest.raises(ConfigError, match="RAGQA_HOME"):
            self.home(tmp_path)


class TestOwnPackages:
    def test_ours_are_found(self):
        require_own_packages()
        root = Path(ragqa.__file__).parents[1]
        assert {Path(one.__file__).parents[1] for one in (chains, prompts)} == {root}

    def test_a_foreign_one_is_named_with_both_paths(self, tmp_path, monkeypatch):
        (tmp_path / "prompts").mkdir()
        (tmp_path / "prompts/__init__.py").write_text("")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(__import__("sys").modules, "prompts", raising=False)
        with pytest.raises(ConfigError) as caught:
            require_own_packages()
        assert str(tmp_path / "prompts") in caught.value.message
        assert "needs" in caught.value.message


@pytest.mark.parametrize(
    ("given", "paths"), [("a", ["a"]), (["a", "b"], ["a", "b"]), (("a",), ["a"]), ((), [])]
)
def test_paths_may_be_one_or_many(given, paths):
    assert listed(given) == paths


@pytest.mark.parametrize("question", ["", "  \u200b", "x" * 5000, None, 3, b"x"])
def test_a_question_that_is_none_is_refused_before_any_work(tmp_path, monkeypatch, question):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGQA_TOP_K", "not even looked at")
    with pytest.raises(ConfigError, match="uestion"):
        ragqa.ask(question, docs="nowhere")


async def test_the_async_form_refuses_it_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="empty"):
        await ragqa.aask("")
    with pytest.raises(ConfigError, match="empty"):
        ragqa.stream("")


def test_an_option_that_a_chain_does_not_take_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="'extractive' takes no option 'retreiver'") as caught:
        ragqa.chain("extractive", retreiver=None)
    assert "retriever" in caught.value.hint


def test_settings_that_are_none_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ask in (ragqa.ask, ragqa.chain):
        with pytest.raises(ConfigError, match="The settings are a dict") as caught:
            ask("extractive", settings={"top_k": 2})
        assert "ragqa.Settings(" in caught.value.hint


def test_a_chain_that_quotes_takes_no_field_that_it_cannot_fill(tmp_path, monkeypatch):
    class Ticketed(ragqa.QAResponse):
        ticket: str

    class Optional(ragqa.QAResponse):
        ticket: str | None = None

    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="cannot fill the required field 'ticket'") as caught:
        ragqa.chain("extractive", schema=Ticketed)
    assert "Give it a default" in caught.value.hint
    assert ragqa.chain("extractive", schema=Optional)
