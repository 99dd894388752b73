import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.errors import ConfigError
from ragqa.settings import OpenAISettings, Settings
from ragqa.settings.registry import declared, shown
from ragqa.settings.resolve import (
    check_key_target,
    has_embeddings,
    missing_for_embeddings,
    missing_for_model,
    missing_for_retriever,
    plain_http_warning,
    provider_of,
    require,
)
from ragqa.settings.tidy import tidied

KEY = "sk-test-0123456789abcdef"
ROOT = Path(__file__).parents[2]


def load(tmp_path, environ=None, *, dotenv=None, toml=None, **overrides):
    for name, content in ((".env", dotenv), ("ragqa.toml", toml)):
        if content is not None:
            data = content if isinstance(content, bytes) else content.encode()
            (tmp_path / name).write_bytes(data)
    return Settings.load(cwd=tmp_path, environ=environ or {}, **overrides)


class TestPrecedence:
    def test_each_source_wins_over_the_next(self, tmp_path):
        toml, dotenv, environ = "top_k = 2", "RAGQA_TOP_K=3", {"RAGQA_TOP_K": "4"}
        assert load(tmp_path).top_k == 5
        assert load(tmp_path, toml=toml).top_k == 2
        assert load(tmp_path, dotenv=dotenv).top_k == 3
        assert load(tmp_path, environ).top_k == 4
        assert load(tmp_path, environ, top_k=6).top_k == 6

    @pytest.mark.parametrize("blank", ["", "   ", '""', "''", "\r\n", "\ufeff", "\u200b \u00a0"])
    def test_an_empty_value_is_unset_and_the_next_source_counts(self, tmp_path, blank):
        settings = load(tmp_path, {"RAGQA_TOP_K": blank}, toml="top_k = 2")
        assert settings.top_k == 2

    def test_none_as_override_is_unset(self, tmp_path):
        assert load(tmp_path, {"RAGQA_TOP_K": "4"}, top_k=None).top_k == 4

    def test_every_value_knows_its_source(self, tmp_path):
        settings = load(
            tmp_path,
            {"OPENAI_API_KEY": KEY},
            dotenv="\n# comment\nRAGQA_CHAT_MODEL=m\n",
            toml='[openai]\n\nbase_url = "http://localhost:1/v1"\n',
            top_k=3,
        )
        sources = {name: str(settings.source_of(name)) for name in settings.origins}
        assert sources == {
            "OPENAI_API_KEY": "environment",
            "RAGQA_CHAT_MODEL": ".env line 3",
            "OPENAI_BASE_URL": "ragqa.toml line 3",
            "RAGQA_TOP_K": "explicit",
        }
        assert settings.source_of("RAGQA_HOME").kind == "default"

    def test_the_process_environment_and_folder_are_the_default(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("RAGQA_TOP_K", "9")
        (tmp_path / "ragqa.toml").write_text("max_answer_chars = 300")
        settings = Settings.load()
        assert (settings.top_k, settings.max_answer_chars) == (9, 300)

    def test_the_environment_is_not_changed(self, tmp_path, monkeypatch):
        monkeypatch.delenv("RAGQA_TOP_K", raising=False)
        load(tmp_path, dotenv="RAGQA_TOP_K=3")
        assert "RAGQA_TOP_K" not in os.environ


class TestTidying:
    @pytest.mark.parametrize(
        "pasted",
        [
            f"  {KEY}",
            f"{KEY}\r\n",
            f"'{KEY}'",
            f'" {KEY} "\n',
            f"\ufeff{KEY}\u200b",
            f"“{KEY}”",
            f"\u00a0{KEY}\u3000",
        ],
    )
    def test_what_people_paste_around_a_key_goes(self, tmp_path, pasted):
        settings = load(tmp_path, {"OPENAI_API_KEY": pasted})
        assert settings.openai.api_key.get_secret_value() == KEY

    def test_dotenv_with_byte_order_mark_crlf_export_and_quotes(self, tmp_path):
        text = f"\ufeffexport OPENAI_API_KEY = ' {KEY} '\r\nRAGQA_TOP_K=3 # few\r\n"
        settings = load(tmp_path, dotenv=text.encode())
        assert (settings.openai.api_key.get_secret_value(), settings.top_k) == (KEY, 3)

    def test_dotenv_in_utf_16_as_windows_shells_write_it(self, tmp_path):
        settings = load(tmp_path, dotenv="RAGQA_TOP_K=3\r\n".encode("utf-16"))
        assert settings.top_k == 3

    def test_quotes_inside_stay(self):
        assert tidied("it's") == "it's"
        assert tidied("'a' or 'b") == "'a' or 'b"

    @given(st.text(max_size=30))
    def test_tidying_twice_changes_nothing(self, text):
        assert tidied(tidied(text)) == tidied(text)

    def test_nothing_in_dotenv_is_expanded_or_run(self, tmp_path):
        text = "RAGQA_PRICE_UNIT=${HOME}$(touch pwned)`touch pwned`\n"
        assert load(tmp_path, dotenv=text).price_unit == "${HOME}$(touch pwned)`touch pwned`"
        assert not (tmp_path / "pwned").exists()

    def test_a_broken_line_of_ours_is_named_a_foreign_one_is_not_ours(self, tmp_path):
        with pytest.raises(ConfigError, match=r"\.env line 2"):
            load(tmp_path, dotenv='A=1\nOPENAI_API_KEY="sk-unclosed\n')
        assert load(tmp_path, dotenv='FOREIGN="unclosed\nRAGQA_TOP_K=3\n').top_k == 3

    @pytest.mark.parametrize("line", ["RAGQA_TOP_K＝3", "RAGQA_TOP_K", "export RAGQA_TOP_K"])
    def test_a_line_of_ours_without_a_plain_equals_sign_is_not_passed_over(self, tmp_path, line):
        with pytest.raises(
            ConfigError, match=r"\.env line 2 gives RAGQA_TOP_K no value\."
        ) as raised:
            load(tmp_path, dotenv=f"A=1\n{line}\n")
        assert "NAME=value" in raised.value.hint
        foreign = line.replace("RAGQA", "MY")
        assert load(tmp_path, dotenv=f"{foreign}\n# {line}\nRAGQA_TOP_K=\n").top_k == 5

    def test_a_folder_or_pipe_named_dotenv_is_not_read(self, tmp_path):
        os.mkfifo(tmp_path / ".env")
        assert load(tmp_path).top_k == 5

    def test_an_unreadable_file_is_named(self, tmp_path):
        path = tmp_path / ".env"
        path.write_text("RAGQA_TOP_K=3")
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read every file")
        with pytest.raises(ConfigError, match=r"\.env cannot be read"):
            load(tmp_path)


class TestToml:
    def test_names_with_and_without_prefix_and_in_tables(self, tmp_path):
        toml = """
            top_k = 3
            RAGQA_MAX_CONTEXT_CHARS = 900
            temperature = 0.5
            [openai]
            base_url = "http://localhost:11434/v1"
            chat_model = "m"
            [azure_openai]
            api_version = 2025-01-01
            [azure_search.fields]
            title = "name"
            [azure-search]
            field_path = "url"
        """
        settings = load(tmp_path, toml=toml)
        assert (settings.top_k, settings.max_context_chars, settings.temperature) == (3, 900, 0.5)
        assert settings.openai.base_url == "http://localhost:11434/v1"
        assert settings.openai.chat_model == "m"
        assert settings.azure_openai.api_version == "2025-01-01"
        assert settings.azure_search.fields.title == "name"
        assert settings.azure_search.fields.path == "url"

    @pytest.mark.parametrize(
        ("toml", "named", "near"),
        [
            ("topk = 3", "topk", "top_k"),
            ('[openai]\nbaseurl = "x"', "openai.baseurl", "openai_base_url"),
            ('[azure_serach]\nindex = "x"', "azure_serach.index", "azure_search_index"),
        ],
    )
    def test_an_unknown_key_is_refused_with_the_nearest(self, tmp_path, toml, named, near):
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, toml=toml)
        assert named in caught.value.message
        assert "ragqa.toml line" in caught.value.message
        assert near in caught.value.hint

    def test_an_unknown_override_is_refused(self, tmp_path):
        with pytest.raises(ConfigError, match="topk") as caught:
            load(tmp_path, topk=3)
        assert "top_k" in caught.value.hint

    @pytest.mark.parametrize("toml", ["top_k = ", "= 3", "[openai", b"price_unit = '\xff'"])
    def test_what_is_no_toml_is_refused(self, tmp_path, toml):
        with pytest.raises(ConfigError, match=r"ragqa\.toml"):
            load(tmp_path, toml=toml)

    def test_byte_order_mark_and_crlf_are_fine(self, tmp_path):
        assert load(tmp_path, toml="\ufefftop_k = 3\r\n".encode()).top_k == 3

    def test_categories_as_tables(self, tmp_path):
        toml = """
            [categories.billing]
            description = "Invoices and payment"
            keywords = ["invoice", "发票"]
            examples = ["Where is my invoice?"]
            [categories.billing.strategy]
            k = 3
            search_type = "keyword"
            filter = { department = "finance" }
            boost = { "prices.csv" = 2.0 }
            [categories.other]
        """
        settings = load(tmp_path, toml=toml)
        assert settings.categories == ("billing", "other")
        billing = settings.category_details["billing"]
        assert billing.keywords == ("invoice", "发票")
        assert billing.strategy.filter == {"department": "finance"}
        assert (billing.strategy.k, billing.strategy.boost) == (3, {"prices.csv": 2.0})

    def test_a_list_of_categories_counts_before_the_tables(self, tmp_path):
        toml = '[categories.a]\ndescription = "x"\n[categories.b]\n'
        assert load(tmp_path, {"RAGQA_CATEGORIES": "b,c"}, toml=toml).categories == ("b", "c")

    @pytest.mark.parametrize(
        "toml",
        ['[groups]\n"hr/pay" = ["people"]\nopen = "*"', '[folders."hr/pay"]\ngroups = ["people"]\n'
         '[folders.open]\ngroups = "*"'],
    )  # fmt: skip
    def test_groups_of_folders(self, tmp_path, toml):
        assert load(tmp_path, toml=toml).folder_groups == {"hr/pay": ("people",), "open": ("*",)}

    @pytest.mark.parametrize(
        ("toml", "named"),
        [
            ("[categories.a]\ndescripton = 'x'", "categories.a.descripton"),
            ("[categories.a.strategy]\nk = 0", "categories.a.strategy.k"),
            ("[folders.hr]\ngroup = ['x']", "folders.hr"),
            ("groups = 3", "groups"),
            ("[prices.m]\nprompt = -1\ncompletion = 1", "prices.m.prompt"),
            ("[prices.m]\nprompt = 1", "prices.m.completion"),
            ("[handling]\n'syntax' = 'explode'", "RAGQA_HANDLING"),
        ],
    )
    def test_wrong_tables_are_named(self, tmp_path, toml, named):
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, toml=toml)
        assert named in str(caught.value)

    def test_prices_and_handling(self, tmp_path):
        toml = """
            [prices."gpt-5-mini"]
            prompt = 0.25
            completion = 2
            [handling]
            "syntax.invalid" = "raise"
            rules = "log"
        """
        settings = load(tmp_path, toml=toml)
        assert settings.prices["gpt-5-mini"].completion == 2
        assert settings.handling == {"syntax.invalid": "raise", "rules": "log"}
        environ = {"RAGQA_HANDLING": "schema=fallback, text.refusal = raise"}
        assert load(tmp_path, environ).handling == {"schema": "fallback", "text.refusal": "raise"}


class TestWrongValues:
    @pytest.mark.parametrize(
        ("variable", "value", "allowed"),
        [
            ("RAGQA_TOP_K", "many", "a whole number from 1 to 100"),
            ("RAGQA_TOP_K", "0", "a whole number from 1 to 100"),
            ("RAGQA_TOP_K", "2.5", "a whole number from 1 to 100"),
            ("RAGQA_TEMPERATURE", "nan", "a number from 0 to 2"),
            ("RAGQA_TEMPERATURE", "inf", "a number from 0 to 2"),
            ("RAGQA_TIMEOUT_S", "0", "a number above 0 to 3,600"),
            ("RAGQA_MAX_CONTEXT_CHARS", "-1", "a whole number from 100 to 1,000,000"),
            ("RAGQA_ENTITIES", "perhaps", "true or false"),
            ("RAGQA_PROVIDER", "openia", "one of auto, azure, openai or none"),
            ("RAGQA_SEARCH_TYPE", "vector", "one of keyword, similarity, hybrid"),
            ("RAGQA_CATEGORIES", "a,b,a", "a list that names 'a' once"),
            ("RAGQA_FILTER", "department", "pairs like name=value"),
            ("AZURE_OPENAI_API_VERSION", "latest-ish", "a date like 2024-10-21"),
            ("AZURE_SEARCH_INDEX", "My Index", "lower case letters, digits"),
            ("AZURE_OPENAI_CHAT_DEPLOYMENT", "a/../b", "a deployment's name"),
            ("RAGQA_CHAT_MODEL", "two words", "a model's name without blanks"),
            ("RAGQA_PRICE_UNIT", "EUR\udcff", "text in UTF-8"),
        ],
    )
    def test_the_message_names_setting_value_source_and_what_is_allowed(
        self, tmp_path, variable, value, allowed
    ):
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, {variable: value})
        message = caught.value.message
        assert message.startswith(f"{variable} is {value!r} (environment); allowed: ")
        assert allowed in message

    def test_the_line_of_the_file_is_named(self, tmp_path):
        with pytest.raises(ConfigError, match=r"RAGQA_TOP_K is '0' \(\.env line 2\)"):
            load(tmp_path, dotenv="A=1\nRAGQA_TOP_K=0\n")
        (tmp_path / ".env").unlink()
        with pytest.raises(ConfigError, match=r"RAGQA_TOP_K is 'true' \(ragqa\.toml line 1\)"):
            load(tmp_path, toml="top_k = true")

    def test_all_wrong_values_are_named_at_once(self, tmp_path):
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, {"RAGQA_TOP_K": "x", "RAGQA_PROVIDER": "y", "RAGQA_HOME": "fine"})
        lines = caught.value.message.splitlines()
        assert [line.split()[0] for line in lines] == ["RAGQA_PROVIDER", "RAGQA_TOP_K"]

    def test_settings_made_directly_speak_the_same_language(self):
        with pytest.raises(ConfigError, match="RAGQA_TOP_K is '0'"):
            Settings(top_k=0)
        with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
            Settings(openai={"base_url": "nowhere"})

    def test_settings_cannot_be_changed(self):
        with pytest.raises(ValueError, match="frozen"):
            Settings().top_k = 3
        with pytest.raises(ValueError, match="frozen"):
            OpenAISettings().base_url = "https://x.example"


class TestEndpoints:
    @pytest.mark.parametrize(
        "url",
        [
            "unit",
            "unit.openai.azure.com",
            "ftp://unit.example.com",
            "https://",
            "https:///path",
            "https://a b.example.com",
            "https://<your-resource>.openai.azure.com",
            "https://{name}.openai.azure.com",
            "https://x.example.com:port",
            "https://x.example.com:99999",
            "https://x.example.com/?api-version=1",
            "https://x.example.com/#a",
            "https://x.exa\nmple.com",
            "javascript:alert(1)",
            "//x.example.com",
            "https//x.example.com",
            "https://[::1",
        ],
    )
    @pytest.mark.parametrize(
        "variable", ["OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_SEARCH_ENDPOINT"]
    )
    def test_what_is_no_http_url_is_refused(self, tmp_path, variable, url):
        with pytest.raises(ConfigError, match=variable):
            load(tmp_path, {variable: url})

    @pytest.mark.parametrize(
        "url",
        [
            "https://x.example.com",
            "https://x.example.com:8443/v1/",
            "http://localhost:11434/v1",
            "http://192.168.1.7:8000/v1",
            "http://my_llm:8000/v1",
            "https://[2001:db8::1]/v1",
            "https://bücher.example/v1",
            "HTTPS://X.EXAMPLE.COM/v1",
        ],
    )
    def test_what_is_one_is_taken(self, tmp_path, url):
        assert load(tmp_path, {"OPENAI_BASE_URL": url}).openai.base_url == url

    @pytest.mark.parametrize("variable", ["AZURE_OPENAI_ENDPOINT", "AZURE_SEARCH_ENDPOINT"])
    def test_azure_takes_plain_http_on_loopback_only(self, tmp_path, variable):
        for url in ("http://127.0.0.1:8080", "http://localhost", "http://[::1]:1"):
            load(tmp_path, {variable: url})
        for url in ("http://x.example.com", "http://localhost.evil.example", "http://10.0.0.1"):
            with pytest.raises(ConfigError, match="loopback"):
                load(tmp_path, {variable: url})

    @pytest.mark.parametrize(
        ("variable", "url"),
        [
            ("OPENAI_BASE_URL", "http://localhost:8000/v1/chat/completions"),
            ("OPENAI_BASE_URL", "http://localhost:8000/v1/embeddings/"),
            ("AZURE_OPENAI_ENDPOINT", "https://x.openai.azure.com/openai/deployments/gpt"),
        ],
    )
    def test_the_address_of_a_request_is_not_that_of_a_service(self, tmp_path, variable, url):
        with pytest.raises(ConfigError, match="the address before"):
            load(tmp_path, {variable: url})


class TestSecrets:
    def test_no_way_of_printing_shows_a_key(self, tmp_path):
        names = [name for name, setting in declared().items() if setting.is_secret]
        environ = dict.fromkeys(names, KEY) | {"RAGQA_REDIS_URL": f"redis://:{KEY}@localhost"}
        settings = load(tmp_path, environ)
        for text in (repr(settings), str(settings), settings.model_dump_json(), f"{settings!s}"):
            assert KEY not in text
        assert len(names) == 4

    @pytest.mark.parametrize("broken", ["sk-a\nb", "sk a", "sk-…", "sk-中", "sk-\udcff"])
    def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(self, tmp_path, broken):
        with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
            load(tmp_path, {"OPENAI_API_KEY": broken})
        assert broken not in str(caught.value)

    def test_a_key_pasted_into_another_setting_is_not_shown(self, tmp_path):
        for variable in ("OPENAI_BASE_URL", "RAGQA_PROVIDER"):
            with pytest.raises(ConfigError, match=variable) as caught:
                load(tmp_path, {variable: KEY})
            assert KEY not in str(caught.value)

    def test_a_login_in_a_url_is_not_shown(self, tmp_path):
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, {"AZURE_SEARCH_ENDPOINT": "https://me:hunter2@x.example.com"})
        assert "hunter2" not in str(caught.value)


class TestProvider:
    @pytest.mark.parametrize(
        ("environ", "provider"),
        [
            ({}, "none"),
            ({"OPENAI_API_KEY": KEY}, "openai"),
            ({"OPENAI_BASE_URL": "http://localhost:1/v1"}, "openai"),
            ({"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"}, "azure"),
            ({"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com", "OPENAI_API_KEY": KEY},
             "azure"),
            ({"AZURE_OPENAI_API_KEY": KEY}, "none"),
            ({"RAGQA_CHAT_MODEL": "m"}, "none"),
            ({"OPENAI_API_KEY": KEY, "RAGQA_PROVIDER": "none"}, "none"),
            ({"RAGQA_PROVIDER": "azure"}, "azure"),
        ],
    )  # fmt: skip
    def test_auto(self, tmp_path, environ, provider):
        assert provider_of(load(tmp_path, environ)) == provider

    @pytest.mark.parametrize(
        ("environ", "missing"),
        [
            ({}, []),
            ({"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com",
              "AZURE_OPENAI_API_KEY": KEY}, ["AZURE_OPENAI_CHAT_DEPLOYMENT"]),
            ({"RAGQA_PROVIDER": "azure", "AZURE_OPENAI_CHAT_DEPLOYMENT": "d"},
             ["AZURE_OPENAI_ENDPOINT"]),
            ({"RAGQA_PROVIDER": "azure"},
             ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_CHAT_DEPLOYMENT"]),
            ({"OPENAI_API_KEY": KEY}, ["RAGQA_CHAT_MODEL"]),
            ({"OPENAI_BASE_URL": "http://localhost:1/v1", "RAGQA_CHAT_MODEL": "m"}, []),
            ({"OPENAI_BASE_URL": "https://api.openai.com/v1", "RAGQA_CHAT_MODEL": "m"},
             ["OPENAI_API_KEY"]),
            ({"RAGQA_PROVIDER": "openai"}, ["OPENAI_API_KEY", "RAGQA_CHAT_MODEL"]),
        ],
    )  # fmt: skip
    def test_what_is_missing_for_a_model(self, tmp_path, environ, missing):
        assert missing_for_model(load(tmp_path, environ)) == missing

    @pytest.mark.parametrize(
        ("environ", "missing"),
        [
            ({}, []),
            ({"RAGQA_RETRIEVER": "azure"}, ["AZURE_SEARCH_ENDPOINT", "AZURE_SEARCH_INDEX"]),
            ({"RAGQA_RETRIEVER": "azure", "AZURE_SEARCH_INDEX": "i1"}, ["AZURE_SEARCH_ENDPOINT"]),
            ({"RAGQA_RETRIEVER": "azure", "AZURE_SEARCH_INDEX": "i1",
              "AZURE_SEARCH_ENDPOINT": "https://x.search.windows.net",
              "RAGQA_SEARCH_TYPE": "keyword"}, []),
            ({"RAGQA_SEARCH_TYPE": "hybrid"}, ["RAGQA_EMBEDDING_MODEL"]),
            ({"RAGQA_SEARCH_TYPE": "hybrid", "OPENAI_BASE_URL": "http://localhost:1/v1",
              "RAGQA_EMBEDDING_MODEL": "e"}, []),
        ],
    )  # fmt: skip
    def test_what_is_missing_for_retrieval(self, tmp_path, environ, missing):
        assert missing_for_retriever(load(tmp_path, environ)) == missing

    def test_embeddings_belong_to_the_provider(self, tmp_path):
        environ = {"RAGQA_EMBEDDING_MODEL": "e", "OPENAI_API_KEY": KEY}
        assert has_embeddings(load(tmp_path, environ))
        assert not has_embeddings(load(tmp_path, environ | {"RAGQA_PROVIDER": "none"}))
        azure = {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com"}
        assert missing_for_embeddings(load(tmp_path, azure)) == [
            "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"
        ]

    def test_the_message_names_exactly_what_is_missing(self, tmp_path):
        settings = load(
            tmp_path,
            {
                "AZURE_OPENAI_ENDPOINT": "https://unit.openai.azure.com",
                "AZURE_OPENAI_API_KEY": KEY,
                "RAGQA_RETRIEVER": "azure",
                "AZURE_SEARCH_INDEX": "docs",
            },
        )
        missing = missing_for_model(settings) + missing_for_retriever(settings)
        with pytest.raises(ConfigError) as caught:
            require(settings, missing, purpose="to answer")
        named = {name for name in declared() if name in str(caught.value)}
        assert named == {"AZURE_OPENAI_CHAT_DEPLOYMENT", "AZURE_SEARCH_ENDPOINT"}
        assert KEY not in str(caught.value)

    def test_a_variable_nobody_reads_is_pointed_out_beside_what_is_missing(self, tmp_path):
        settings = load(
            tmp_path,
            {
                "AZURE_OPENAI_ENDPOINT": "https://x.example",
                "AZURE_OPENAI_CHAT_DEPLOYMENT_NAME": "d",
            },
        )
        with pytest.raises(ConfigError, match="AZURE_OPENAI_CHAT_DEPLOYMENT_NAME"):
            require(settings, missing_for_model(settings), purpose="to answer")


class TestUnknownVariables:
    def test_ours_are_noticed_foreign_ones_are_not(self, tmp_path):
        environ = {
            "RAGQA_TOPK": "3",
            "AZURE_SEARCH_INDEX_NAME": "x",
            "AZURE_OPENAI_SOMETHING_ELSE_ENTIRELY": "x",
            "OPENAI_ORG_ID": "x",
            "ragqa_top_k": "3",
        }
        settings = load(tmp_path, environ, dotenv="RAGQA_HOMEDIR=x\nOTHER=1\n")
        assert settings.unknown_variables == (
            "AZURE_SEARCH_INDEX_NAME",
            "RAGQA_HOMEDIR",
            "RAGQA_TOPK",
            "ragqa_top_k",
        )
        assert settings.top_k == 5


class TestWhereKeysGo:
    FILE_URL = "https://collector.example.com/v1"

    def check(self, settings):
        check_key_target(settings, "OPENAI_BASE_URL", settings.openai.base_url)

    @pytest.mark.parametrize("file", ["dotenv", "toml"])
    def test_a_key_of_the_environment_is_not_sent_where_a_file_says(self, tmp_path, file):
        text = {
            "dotenv": f"OPENAI_BASE_URL={self.FILE_URL}",
            "toml": f'openai_base_url = "{self.FILE_URL}"',
        }
        settings = load(tmp_path, {"OPENAI_API_KEY": KEY}, **{file: text[file]})
        with pytest.raises(ConfigError, match="OPENAI_BASE_URL comes from a file") as caught:
            self.check(settings)
        assert KEY not in str(caught.value)

    def test_the_same_source_loopback_or_an_express_word_allow_it(self, tmp_path):
        environ = {"OPENAI_API_KEY": KEY}
        url = f"OPENAI_BASE_URL={self.FILE_URL}\n"
        self.check(load(tmp_path, environ | {"OPENAI_BASE_URL": self.FILE_URL}))
        self.check(load(tmp_path, dotenv=f"{url}OPENAI_API_KEY={KEY}\n"))
        self.check(load(tmp_path, dotenv=url))
        self.check(load(tmp_path, environ | {"RAGQA_ALLOW_KEY_TO_FILE_ENDPOINT": "1"}, dotenv=url))
        self.check(load(tmp_path, environ, dotenv="OPENAI_BASE_URL=http://127.0.0.1:1/v1"))

    @pytest.mark.parametrize("source", [".env", "ragqa.toml"])
    def test_the_file_cannot_allow_itself(self, tmp_path, source):
        name = "RAGQA_ALLOW_KEY_TO_FILE_ENDPOINT"
        file = {".env": {"dotenv": f"{name}=1"}, "ragqa.toml": {"toml": f"{name} = true"}}[source]
        with pytest.raises(ConfigError, match=name):
            load(tmp_path, **file)

    def test_the_token_of_an_identity_goes_to_azure_alone(self, tmp_path):
        for url, fine in (
            ("https://x.search.windows.net", True),
            ("https://x.services.ai.azure.com/openai/v1/", True),
            ("https://collector.westeurope.cloudapp.azure.com", False),
            ("https://collector.azure-api.net", False),
            ("https://collector.blob.core.windows.net", False),
            ("https://collector.example.com", False),
            ("https://windows.net.evil.example", False),
        ):
            settings = load(tmp_path, dotenv=f"AZURE_SEARCH_ENDPOINT={url}")
            if fine:
                check_key_target(settings, "AZURE_SEARCH_ENDPOINT", url)
            else:
                with pytest.raises(ConfigError, match="identity"):
                    check_key_target(settings, "AZURE_SEARCH_ENDPOINT", url)

    def test_a_key_over_plain_http_is_warned_about(self, tmp_path):
        for url, warned in (
            ("http://10.0.0.1:8000/v1", True),
            ("http://localhost:8000/v1", False),
            ("https://x.example/v1", False),
        ):
            settings = load(tmp_path, {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY})
            assert bool(plain_http_warning(settings)) is warned
        assert plain_http_warning(load(tmp_path, {"OPENAI_BASE_URL": "http://10.0.0.1/v1"})) is None


class TestListing:
    def test_every_setting_has_a_meaning_and_a_name_of_its_own(self):
        schema = json.dumps(Settings.model_json_schema())
        assert sorted(re.findall(r'"variable": "(\w+)"', schema)) == sorted(declared())
        assert all(each.field.description for each in declared().values())
        assert all(name.startswith(("RAGQA_", "OPENAI_", "AZURE_")) for name in declared())

    def test_defaults_are_values_that_the_settings_take(self, tmp_path):
        environ = {name: value for name, value in defaults() if name != "RAGQA_ALLOW_KEY"}
        assert load(tmp_path, environ).model_dump() == Settings().model_dump()

    def test_the_example_file_lists_every_setting_with_its_default(self):
        lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
        entries = [line.lstrip("# ").partition("=") for line in lines if is_entry(line)]
        assert [(name, value) for name, _, value in entries] == defaults()

    def test_the_example_file_as_it_is_changes_nothing(self, tmp_path):
        text = (ROOT / ".env.example").read_text(encoding="utf-8")
        assert load(tmp_path, dotenv=text) == Settings()


def defaults():
    return [(name, shown(each.field.default)) for name, each in declared().items()]


def is_entry(line):
    name = line.lstrip("# ").partition("=")[0]
    return "=" in line and name.isupper() and name.replace("_", "").isalnum()


def test_values_survive_any_bytes(tmp_path):
    path = tmp_path / ".env"
    path.write_bytes(b"RAGQA_TOP_K=3\n# \xff\xfe latin \xe9\nOTHER=\x80\n")
    path.chmod(stat.S_IRUSR)
    assert Settings.load(cwd=tmp_path, environ={}).top_k == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"UNKNOWN": 1}, "There is no setting UNKNOWN; ragqa doctor lists all."),
        ({"top_kk": 1}, "There is no setting top_kk; did you mean top_k?"),
        ({"RAGQA_TOP_K": 1}, "There is no setting RAGQA_TOP_K; did you mean top_k?"),
        ({"azure_search_index": "kb"}, "did you mean azure_search.index?"),
        ({"topk": 2}, "There is no setting topk; did you mean top_k?"),
        ({"openai": {"chatmodel": "x"}}, "openai.chatmodel; did you mean openai.chat_model?"),
        ({"category_details": {"a": {"what": 1}}}, "categories.a.what: there is no such setting."),
    ],
)
def test_no_file_is_blamed_for_what_the_program_gave(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings(**given)
    assert said in caught.value.message
    assert "ragqa.toml" not in caught.value.message


def test_the_file_is_named_where_a_table_stands_in_it(tmp_path: Path) -> None:
    (tmp_path / "ragqa.toml").write_text("[prices.m]\nprompt = -1\ncompletion = 1\n")
    with pytest.raises(ConfigError, match=r"prices\.m\.prompt in ragqa\.toml:"):
        Settings.load(cwd=tmp_path, environ={})
    with pytest.raises(ConfigError) as caught:
        Settings.load(cwd=tmp_path, environ={}, prices={"m": {"prompt": -1, "completion": 1}})
    assert "ragqa.toml" not in caught.value.message


@pytest.mark.parametrize("path", ["/indexes/kb", "/indexes('kb')/docs/search"])
def test_the_address_of_an_index_is_not_the_one_of_its_service(tmp_path: Path, path: str) -> None:
    address = f"https://kb.search.windows.net{path}"
    with pytest.raises(ConfigError, match="the address before /indexes"):
        Settings.load(cwd=tmp_path, environ={"AZURE_SEARCH_ENDPOINT": address})


def test_words_of_a_closed_list_count_in_any_case(tmp_path: Path) -> None:
    environ = {"RAGQA_PROVIDER": "None", "RAGQA_RECORDS": "MASKED", "RAGQA_SEARCH_TYPE": "Keyword"}
    settings = Settings.load(cwd=tmp_path, environ=environ)
    assert (settings.provider, settings.records, settings.search_type) == (
        "none",
        "masked",
        "keyword",
    )


def test_numbers_are_shown_in_full() -> None:
    assert (shown(1234567.5), shown(0.7), shown(4000.0)) == ("1234567.5", "0.7", "4000")
