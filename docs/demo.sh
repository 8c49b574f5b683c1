#!/usr/bin/env bash
# Prints docs/demo.svg: two agents and a person in one memory, as a moving picture of a terminal. Every command shown is
# run, and every line below it is what it printed. MEMDIR_BIN names a built memdir.
#
#     MEMDIR_BIN=target/debug/memdir docs/demo.sh > docs/demo.svg
#
# Never touches anything but a temporary directory. The clock is fixed, so the same program draws the same bytes.
set -euo pipefail

: "${MEMDIR_BIN:?names a built memdir, such as target/debug/memdir}"
MEMDIR_BIN=$(realpath "$MEMDIR_BIN")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MEMDIR MEMDIR_AS
export HOME=$work XDG_CONFIG_HOME=$work LC_ALL=C.UTF-8 MEMDIR_NOW=2026-02-24T10:00:00Z
memdir() { "$MEMDIR_BIN" "$@"; }
cd "$work"
mkdir memdir && echo 'people: [you]' > memdir/config.yaml
memdir init memory --quiet
file=memory/facts/user.md
MEMDIR_AS=you memdir --quiet add user 'Editor: vi' 'City: Austin' 'Diet: vegan'
MEMDIR_AS=you memdir --quiet update user 'Editor: vi' 'Editor: vim'

# All sizes are in pixels, all times in milliseconds.
line=19 column=8.43 left=18 width=880
pane_x=526 pane_width=336 pane_line=18 pane_lines=8
type_time=24 # a character
clock=600 y=54
rows='' rules='' keys='' uses=''
versions=() times=()

escape() {
    local text=$1 amp='&amp;' lt='&lt;' gt='&gt;'
    text=${text//&/"$amp"}
    text=${text//</"$lt"}
    text=${text//>/"$gt"}
    printf '%s' "$text"
}

# A line as memdir colours it on a terminal.
colour() {
    local text
    text=$(escape "$1")
    case $text in
        '+ @'*) printf '<tspan class="add">%s</tspan>' "$text" ;;
        '- @'*) printf '<tspan class="del">%s</tspan>' "$text" ;;
        'memdir: '*) sed -E 's|^memdir: ([a-z_]+):|memdir: <tspan class="err">\1</tspan>:|' <<<"$text" ;;
        'was: '* | 'now: '* | 'try: '*) printf '<tspan class="dim">%s</tspan>%s' "${text:0:5}" "${text:5}" ;;
        '@'*) printf '<tspan class="handle">%s</tspan>%s' "${text%% *}" " ${text#* }" ;;
        *) sed -E 's|(  r[0-9]+)$|<tspan class="dim">\1</tspan>|' <<<"$text" ;;
    esac
}

# One row that appears now; its text is coloured already. Indentation becomes a shift to the right.
row() { # INDENT MARKUP [TYPED-CHARACTERS]
    local n=${rows//[^$'\n']/} typed=${3:-0} x
    n=${#n}
    x=$(awk -v l=$left -v c=$column -v i="$1" 'BEGIN { printf "%g", l + c * i }')
    rows+="<text x=\"$x\" y=\"$y\" class=\"r$n\">$2</text>"$'\n'
    rules+="$n $clock $typed"$'\n'
    y=$((y + line))
}

note() {
    y=$((y + 7))
    row 0 "<tspan class=\"note\"># $(escape "$1")</tspan>"
    clock=$((clock + 700))
}

# Types a command as somebody, runs it, and shows what it prints.
run() { # WHO COMMAND
    local who=$1 command=$2 printed text indent
    row 0 "<tspan class=\"$who\">$who</tspan> <tspan class=\"dim\">\$</tspan> $(escape "$command")" \
        $((${#who} + 3 + ${#command}))
    clock=$((clock + (${#who} + 3 + ${#command}) * type_time + 300))
    printed=$(MEMDIR_AS=$who eval "$command" 2>&1) || true
    if [ -n "$printed" ]; then
        while IFS= read -r text; do
            indent=${text%%[! ]*}
            row ${#indent} "$(colour "${text#"$indent"}")"
            clock=$((clock + 60))
        done <<<"$printed"
    fi
    versions+=("$(cat "$file")")
    times+=("$clock")
    clock=$((clock + 1200))
}

versions+=("$(cat "$file")")
times+=(0)
note 'An agent reads. Each bullet has a handle, made from its text.'
run agent-1 'memdir list user'
note 'Meanwhile you edit the file, with any program.'
run you "sed -i 's/Austin/Lisbon/' $file"
note 'The agent still has the old handle, so it cannot touch your text.'
run agent-1 'memdir rm user@yd2t'
clock=$((clock + 1500))
note 'Another agent writes something wrong; the first goes on.'
run agent-2 "memdir update user@qwcq 'Diet: steak'"
run agent-1 "memdir add user 'Allergy: peanuts'"
note 'Take back what agent-2 did, and nothing else.'
run you 'memdir undo --by agent-2'
end=$((clock + 5000)) height=$((y + 2))

percent() { awk -v t="$1" -v e=$end 'BEGIN { printf "%.2f%%", 100 * t / e }'; }

# The file as it is after each command, in an editor's window; lines that are new are marked.
pane='' pane_y=$((height - pane_lines * pane_line - 56))
before=${versions[0]}
for i in "${!versions[@]}"; do
    if [ "$i" -gt 0 ] && [ "${versions[i]}" = "$before" ]; then continue; fi
    from=$(percent "${times[i]}") until=''
    for j in "${!versions[@]}"; do
        if [ "$j" -gt "$i" ] && [ "${versions[j]}" != "${versions[i]}" ]; then
            until=$(percent "${times[j]}")
            break
        fi
    done
    class=old
    if [ -z "$until" ]; then class=last; fi
    pane+="<g class=\"$class v$i\">"$'\n'
    at=$((pane_y + 50))
    while IFS= read -r text; do
        if [ -n "$text" ] && ! grep -qxF -- "$text" <<<"$before"; then
            pane+="<rect x=\"$((pane_x + 1))\" y=\"$((at - 13))\" width=\"$((pane_width - 2))\" height=\"$pane_line\" class=\"new\"/>"
        fi
        case $text in
            '#'*) kind=' class="head"' ;;
            '>'*) kind=' class="dim"' ;;
            *) kind='' ;;
        esac
        if [ -n "$text" ]; then
            pane+="<text x=\"$((pane_x + 14))\" y=\"$at\"$kind>$(escape "$text")</text>"$'\n'
        fi
        at=$((at + pane_line))
    done <<<"${versions[i]}"
    pane+="</g>"$'\n'
    before=${versions[i]}
    if [ -n "$until" ]; then
        keys+="@keyframes v$i{0%{opacity:0}$from{opacity:1}$until{opacity:0}}"
    else
        keys+="@keyframes v$i{0%{opacity:0}$from{opacity:1}}"
    fi
    uses+=".v$i{animation:v$i ${end}ms step-end infinite}"
done

while read -r n start typed; do
    [ -n "$n" ] || continue
    from=$(percent "$start")
    if [ "$typed" -gt 0 ]; then
        to=$(percent $((start + typed * type_time)))
        keys+="@keyframes r$n{0%{clip-path:inset(0 100% 0 0);opacity:0}$from{clip-path:inset(0 100% 0 0);opacity:1;"
        keys+="animation-timing-function:steps($typed,end)}$to{clip-path:inset(0);opacity:1}100%{clip-path:inset(0)}}"
    else
        keys+="@keyframes r$n{0%{opacity:0}$from{opacity:1}}"
    fi
    uses+=".r$n{animation:r$n ${end}ms step-end infinite}"
done <<<"$rules"

cat <<END
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 $width $height" width="$width" height="$height" xml:space="preserve" role="img" aria-labelledby="title desc">
<title id="title">memdir: two agents and a person write the same notes</title>
<desc id="desc">A terminal. An agent lists the bullets of a file with their handles. A person changes one bullet with another program. The agent tries to remove that bullet by its old handle; memdir refuses and shows the old and the new text. A second agent overwrites a bullet, the first adds one. The person undoes the change of the second agent; everything else stays.</desc>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6dbe4;white-space:pre}
.name{font-size:12px;fill:#8b95a7}.pane text{font-size:13px}
.dim,.pane .dim{fill:#8b95a7}.note{fill:#e2c08d;font-style:italic}.head{font-weight:bold}
.handle{fill:#7fd1cf}.add{fill:#8fd694}.del{fill:#f28b82}.err{fill:#f28b82;font-weight:bold}
.you{fill:#8fd694;font-weight:bold}.agent-1{fill:#7fb4f5;font-weight:bold}.agent-2{fill:#d7a1f0;font-weight:bold}
.new{fill:#8fd694;opacity:.2}.old{opacity:0}
$keys
@media (prefers-reduced-motion:no-preference){$uses}
</style>
<rect x=".5" y=".5" width="$((width - 1))" height="$((height - 1))" rx="9" fill="#171b24" stroke="#4a5263"/>
<circle cx="20" cy="17" r="5.5" fill="#f28b82"/><circle cx="38" cy="17" r="5.5" fill="#e2c08d"/><circle cx="56" cy="17" r="5.5" fill="#8fd694"/>
<text x="$((width / 2))" y="21" text-anchor="middle" class="name">memdir</text>
$rows<g class="pane">
<rect x="$pane_x" y="$pane_y" width="$pane_width" height="$((pane_lines * pane_line + 44))" rx="7" fill="#232937" stroke="#4a5263"/>
<text x="$((pane_x + 14))" y="$((pane_y + 20))" class="name">$file</text>
<path d="M$pane_x $((pane_y + 30))h$pane_width" stroke="#4a5263"/>
$pane</g>
</svg>
END
