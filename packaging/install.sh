#!/bin/sh
# Installs memdir for this user: downloads the archive of the platform, compares its checksum with the release's list,
# and unpacks it into a prefix. Needs curl or wget, tar, and sha256sum or shasum; never asks for root.
#
#   MEMDIR_PREFIX   where to install, ~/.local by default: bin/memdir, share/man, completions
#   MEMDIR_VERSION  the version, the latest by default
#   MEMDIR_RELEASE  the address of the release's files, instead of the project's own
set -eu

main() {
    address=https://github.com/memdir/memdir/releases
    prefix=${MEMDIR_PREFIX:-$HOME/.local}
    if [ -n "${MEMDIR_RELEASE:-}" ]; then
        address=$MEMDIR_RELEASE
    elif [ -n "${MEMDIR_VERSION:-}" ]; then
        address=$address/download/v${MEMDIR_VERSION#v}
    else
        address=$address/latest/download
    fi
    case $(uname -m) in
        x86_64 | amd64) cpu=x86_64 ;;
        aarch64 | arm64) cpu=aarch64 ;;
        *) die "there is no build for $(uname -m); build it with cargo" ;;
    esac
    case $(uname -s) in
        Linux) target=$cpu-unknown-linux-musl ;;
        Darwin) target=$cpu-apple-darwin ;;
        *) die "there is no build for $(uname -s); build it with cargo" ;;
    esac
    archive=memdir-$target.tar.gz

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch "$address/SHA256SUMS" "$work/SHA256SUMS"
    fetch "$address/$archive" "$work/$archive"
    wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
    [ -n "$wanted" ] || die "$address/SHA256SUMS does not list $archive"
    found=$(checksum "$work/$archive")
    [ "$found" = "$wanted" ] || die "the checksum of $archive is $found, not $wanted; nothing was installed"
    tar -xzf "$work/$archive" -C "$work"

    # A program that runs is not overwritten but replaced.
    mkdir -p "$prefix/bin" "$prefix/share"
    cp "$work/memdir-$target/bin/memdir" "$prefix/bin/.memdir.new"
    mv -f "$prefix/bin/.memdir.new" "$prefix/bin/memdir"
    cp -R "$work/memdir-$target/share/." "$prefix/share/"
    echo "installed $("$prefix/bin/memdir" --version) in $prefix/bin"
    case :$PATH: in
        *":$prefix/bin:"*) ;;
        *) echo "$prefix/bin is not in PATH: add it to use memdir by its name" ;;
    esac
}

die() {
    echo "install.sh: $*" >&2
    exit 1
}

fetch() { # ADDRESS FILE
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --output "$2" "$1" || die "cannot download $1"
    elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$1" || die "cannot download $1"
    else
        die "neither curl nor wget is installed"
    fi
}

checksum() { # FILE
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    else
        die "neither sha256sum nor shasum is installed"
    fi
}

# At the end, so that a download that was cut off runs nothing.
main
