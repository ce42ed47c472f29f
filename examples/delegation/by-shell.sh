#!/bin/sh
# A session of delegated work as a shell program, which does no more than move each task on. Any number of them may
# share a seat: each claims a turn of its own for a minute.
#
#     sottovoce play delegation FOLDER --seat planner=outside --seat executor=outside --seat reviewer=outside
#     by-shell.sh GAME SEAT        in as many terminals as you like
game=$1 seat=$2

while :; do
    # Everything before this number is left out: what is wanted is the turn alone.
    asked=$(sottovoce inbox "$game" --as "$seat" --since 1000000 --claim 60 --wait 5) || exit 1
    if printf '%s\n' "$asked" | grep -qx 'The game is over.'; then exit 0; fi
    turn=$(printf '%s\n' "$asked" | sed -n 's/^Turn \([0-9]*\) is open.*/\1/p')
    kind=$(printf '%s\n' "$asked" | sed -n 's/^Turn [0-9]* is open (\([a-z-]*\);.*/\1/p')
    task=$(printf '%s\n' "$asked" | sed -n 's/^Task: //p')
    artifact=$(printf '%s\n' "$asked" | sed -n 's/^Artifact: //p')
    choice=$(printf '%s\n' "$asked" | sed -n 's/^Choices: \([a-z_]*\).*/\1/p')
    [ -n "$turn" ] || continue

    text="# $task"
    case $kind in
        delegate) text="$text

Reviewer: reviewer" ;;
        review) case $artifact in
            *-r1.md) text="## Must-fix

- Look at it once more." ;;
            *) choice=stop_recommended ;;
        esac ;;
        answer) choice= text="Do as you think best." ;;
        record) text= ;;
    esac
    printf '%s\n\n%s\n' "$choice" "$text" | sottovoce send "$game" --as "$seat" --turn "$turn" >/dev/null || exit 1
    echo "$$ as $seat: $kind, $task${artifact:+, $artifact}"
done
