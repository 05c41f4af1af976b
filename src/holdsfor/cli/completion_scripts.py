"""The scripts that a shell runs for Tab completion of `holdsfor`."""

from __future__ import annotations

LINE = "_HOLDSFOR_COMPLETE_LINE"
"""The environment variable with the line up to the cursor. If it is set, commands only complete it."""
SHELL = "_HOLDSFOR_COMPLETE_SHELL"
"""The environment variable with the name of the shell."""

# A folder ends in a slash, and no space is wanted behind it.
SCRIPTS = {
    "bash": f"""\
_holdsfor() {{
    local IFS=$'\\n' lines line
    COMPREPLY=()
    lines=$({LINE}="${{COMP_LINE:0:COMP_POINT}}" {SHELL}=bash "$1" 2>/dev/null)
    for line in $lines; do
        line=${{line%%$'\\t'*}}
        if [[ $line == */ ]]; then
            compopt -o nospace 2>/dev/null
        fi
        if [[ $line == "~/"* ]]; then
            COMPREPLY+=("~/$(printf %q "${{line:2}}")")
        else
            COMPREPLY+=("$(printf %q "$line")")
        fi
    done
}}
complete -F _holdsfor holdsfor
""",
    "zsh": f"""\
#compdef holdsfor
(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
_holdsfor() {{
    local -a folders words_there described
    local line
    for line in "${{(@f)$({LINE}="${{(j: :)words[1,CURRENT-1]}} $PREFIX" {SHELL}=zsh $words[1] 2>/dev/null)}}"; do
        [[ -z $line ]] && continue
        if [[ ${{line%%$'\\t'*}} == */ ]]; then
            folders+=("${{line%%$'\\t'*}}")
        elif [[ $line == *$'\\t'* ]]; then
            described+=("${{${{line%%$'\\t'*}}//:/\\\\:}}:${{line#*$'\\t'}}")
        else
            words_there+=("$line")
        fi
    done
    (( $#described )) && _describe 'holdsfor' described
    (( $#words_there )) && compadd -- $words_there
    (( $#folders )) && compadd -S '' -- $folders
    (( $#described + $#words_there + $#folders ))
}}
compdef _holdsfor holdsfor
""",
    "fish": f"""\
function __holdsfor_complete
    {LINE}=(commandline -cp | string collect) {SHELL}=fish holdsfor 2>/dev/null
end
complete -c holdsfor -f -a '(__holdsfor_complete)'
""",
}
