#!/usr/bin/env python3
"""Makes man pages and the completions of bash, zsh and fish from the programs' own option tables.
Usage: manual.py LANESCOPE LANESCOPE_WORKER OUT

Writes man1/*.1.gz, completions/lanescope (bash), completions/_lanescope (zsh) and completions/lanescope.fish into
OUT."""
import gzip
import json
import pathlib
import re
import subprocess
import sys

STATUSES = [
    ("0", "done"),
    ("1", "the input was at fault; standard error says where and why"),
    ("2", "the command line was not understood"),
    ("3", "this machine lacks something, such as a GPU or a display"),
]
FILES = {"PATH", "FILE", "file", "files"}


# --- man pages ---------------------------------------------------------------------------------------------------------


def roff(text):
    """The text with roff's special characters escaped, and with code between backticks in bold."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def option_head(option):
    value = option["argument"]
    if not option["names"]:
        return f"\\fI{roff(value)}\\fR"
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    choices = "|".join(option["choices"])
    return names + (f" \\fI{roff(choices or value)}\\fR" if value else "")


def option_text(option):
    said = option["description"]
    if option["default"]:
        said += f" (default: {option['default']})"
    return f".TP\n{option_head(option)}\n{roff(said)}\n"


def examples(footer):
    lines = [line.strip() for line in footer.splitlines() if line.startswith("  ")]
    if not lines:
        return ""
    return ".SH EXAMPLES\n.EX\n" + "".join(roff(line) + "\n" for line in lines) + ".EE\n"


def synopsis(command, name):
    words = [f"\\fB{roff(name)}\\fR"]
    if any(option["names"] for option in command["options"]):
        words.append("[\\fIoptions\\fR]")
    for option in command["options"]:
        if not option["names"]:
            word = f"\\fI{roff(option['argument'])}\\fR" + ("..." if option["several"] else "")
            words.append(word if option["required"] else f"[{word}]")
    if command["commands"]:
        words.append("[\\fIcommand\\fR ...]")
    return " ".join(words)


def page(name, version, brief, body):
    return f'.TH {name.upper()} 1 "" "Lanescope {version}" "User Commands"\n.SH NAME\n{roff(name)} \\- {roff(brief)}\n{body}'


def status_section():
    return ".SH EXIT STATUS\n" + "".join(f".TP\n.B {status}\n{roff(what)}\n" for status, what in STATUSES)


def command_page(root, command, version):
    name = f"{root['name']} {command['name']}" if command is not root else root["name"]
    body = f".SH SYNOPSIS\n{synopsis(command, name)}\n"
    if command is root:
        body += f".SH DESCRIPTION\n{roff(root['description'])}\n"
        body += ".SH COMMANDS\n"
        for each in root["commands"]:
            body += f".TP\n\\fB{roff(each['name'])}\\fR\n{roff(each['description'])}; see \\fBlanescope\\-{each['name']}\\fR(1)\n"
    if command["options"]:
        body += ".SH OPTIONS\n" + "".join(map(option_text, command["options"]))
    body += examples(command["footer"]) + status_section()
    others = ["lanescope-worker"] + [f"lanescope-{each['name']}" for each in root["commands"]]
    others = others if command is root else ["lanescope"]
    body += ".SH SEE ALSO\n" + ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others) + "\n"
    brief = command["description"] if command is not root else "layouts of GPU tiles, and kernels run and checked"
    return page(name.replace(" ", "-"), version, brief, body)


def worker_page(text, version):
    first, rest = text.split("\n", 1)
    body = ".SH DESCRIPTION\n.EX\n" + roff(rest.strip("\n")) + "\n.EE\n.SH SEE ALSO\n\\fBlanescope\\fR(1)\n"
    return page("lanescope-worker", version, first.split(": ", 1)[1], body)


# --- completions -------------------------------------------------------------------------------------------------------


def names_of(command):
    return [name for option in command["options"] for name in option["names"]]


def bash(root):
    cases = []
    for command in [root, *root["commands"]]:
        values = "".join(
            f"        {'|'.join(option['names'])}) COMPREPLY=($(compgen -W '{' '.join(option['choices'])}' -- \"$word\")); return ;;\n"
            for option in command["options"]
            if option["names"] and option["choices"]
        )
        name = command["name"] if command is not root else "''"
        chosen = f"      case $before in\n{values}      esac\n" if values else ""
        cases.append(f"    {name})\n{chosen}      options='{' '.join(names_of(command))}' ;;\n")
    commands = " ".join(command["name"] for command in root["commands"])
    return f"""# bash completion of lanescope; made from its option tables.
_lanescope() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' each options=''
  COMPREPLY=()
  for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case " {commands} " in *" $each "*) command=$each; break ;; esac
  done
  case $command in
{"".join(cases)}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    [ -n "$command" ] || COMPREPLY=($(compgen -W '{commands}' -- "$word"))
    COMPREPLY+=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _lanescope lanescope
"""


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''").replace("`", "")


def zsh_options(command):
    lines = []
    for option in command["options"]:
        value = option["argument"]
        action = f"({' '.join(option['choices'])})" if option["choices"] else "_files"
        said = zsh_text(option["description"])
        if not option["names"]:
            lines.append(f"'{'*' if option['several'] else ''}:{zsh_text(value)}:_files'")
        for name in option["names"]:
            lines.append(f"'{name}[{said}]" + (f":{zsh_text(value)}:{action}'" if value else "'"))
    return " \\\n        ".join(lines)


def zsh(root):
    commands = "\n".join(f"    '{each['name']}:{zsh_text(each['description'])}'" for each in root["commands"])
    cases = "".join(
        f"      {each['name']})\n        _arguments -S {zsh_options(each)} ;;\n" for each in root["commands"]
    )
    options = zsh_options(root)
    return f"""#compdef lanescope
# zsh completion of lanescope; made from its option tables.
_lanescope() {{
  local -a commands
  local context state state_descr line
  typeset -A opt_args
  commands=(
{commands}
  )
  _arguments -C {options} \\
        '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands; _files -g '*.py' ;;
    rest)
      case $words[1] in
{cases}      esac ;;
  esac
}}
_lanescope "$@"
"""


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(root):
    lines = ["# fish completion of lanescope; made from its option tables."]
    for each in root["commands"]:
        lines.append(
            f"complete -c lanescope -n __fish_use_subcommand -a {each['name']} -d {fish_quoted(each['description'])}"
        )
    for command in [root, *root["commands"]]:
        when = "__fish_use_subcommand" if command is root else f"'__fish_seen_subcommand_from {command['name']}'"
        for option in command["options"]:
            if not option["names"]:
                continue
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"]
            )
            choices = f" -x -a {fish_quoted(' '.join(option['choices']))}" if option["choices"] else ""
            value = " -r" if option["argument"] and not choices else ""
            lines.append(
                f"complete -c lanescope -n {when} {names}{value}{choices} -d {fish_quoted(option['description'])}"
            )
    return "\n".join(lines) + "\n"


def answer(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    lanescope, worker, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    root = json.loads(answer(lanescope, "--option-table"))
    version = answer(lanescope, "--version").split()[1]
    pages = {"lanescope-worker": worker_page(answer(worker, "--help"), version)}
    for command in [root, *root["commands"]]:
        name = "lanescope" if command is root else f"lanescope-{command['name']}"
        pages[name] = command_page(root, command, version)
    (out / "man1").mkdir(parents=True, exist_ok=True)
    (out / "completions").mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (out / "man1" / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    for name, text in (("lanescope", bash(root)), ("_lanescope", zsh(root)), ("lanescope.fish", fish(root))):
        (out / "completions" / name).write_text(text)


if __name__ == "__main__":
    main()
