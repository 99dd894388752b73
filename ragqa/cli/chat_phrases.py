"""What ``ragqa chat`` says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping

from ragqa.cli.phrases import Language

_PHRASES: Mapping[str, tuple[str, str]] = {
    "begun": ("Session {session}. /help lists the commands; Ctrl-D leaves.",
              "会话 {session}。/help 查看命令；Ctrl-D 退出。"),
    "resumed": ("Session {session}, {turns} earlier turns. /help lists the commands; "
                "Ctrl-D leaves.",
                "会话 {session}，已有 {turns} 轮对话。/help 查看命令；Ctrl-D 退出。"),
    "left": ("To go on: ragqa chat --session {session}",
             "继续此会话：ragqa chat --session {session}"),
    "cancelled": ("Cancelled; it is not part of the conversation.", "已取消；不计入对话。"),
    "at_prompt": ("Ctrl-D or /quit leaves.", "按 Ctrl-D 或输入 /quit 退出。"),
    "forgotten": ("This conversation is deleted.", "此会话已删除。"),
    "nothing": ("There is nothing to show.", "没有内容。"),
    "unknown": ("There is no command {command}. /help lists them.",
                "没有命令 {command}。/help 查看命令。"),
    "help": ("/new       begin another conversation\n"
             "/history   show what is remembered\n"
             "/forget    delete this conversation\n"
             "/help      show this list\n"
             "/quit      leave (Ctrl-D does, too)\n"
             "Ctrl-C cancels the answer under way.",
             "/new       开始新的会话\n"
             "/history   显示已记住的内容\n"
             "/forget    删除此会话\n"
             "/help      显示此列表\n"
             "/quit      退出（也可按 Ctrl-D）\n"
             "Ctrl-C 取消正在生成的回答。"),
}  # fmt: skip


def chat_phrase(name: str, language: Language, **values: object) -> str:
    """Return a phrase in a language, with its values filled in."""
    return _PHRASES[name][language == "zh"].format(**values)
