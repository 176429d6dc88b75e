#!/bin/sh
# Builds a release from the last commit into dist/; docs/contribute.md lists its contents. Used by the Makefile:
#   dist.sh ENVIRONMENT TOOLS   an environment with pip and setuptools, and one with cyclonedx-py
# Fails if the wheel lacks a file, or does not work in a new environment with the locked versions of its dependencies.
set -eu
cd "$(dirname "$0")/../.."
python=$PWD/$1/bin/python cyclonedx=$PWD/$2/bin/cyclonedx-py out=$PWD/dist

say() { echo "quadrille: $*" >&2; }
pip() { "$python" -m pip --disable-pip-version-check --quiet "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -z "$(git status --porcelain)" ] || say "what is not committed does not enter the release"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # so that the files do not depend on the time of the build
export SOURCE_DATE_EPOCH
umask 022
git archive HEAD | tar -x -C "$work" --one-top-level=source
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$work/source/pyproject.toml")
name=quadrille-$version
rm -rf "$out"
mkdir "$out"

say "building the wheel and the image definitions"
pip wheel --no-deps --no-build-isolation --wheel-dir "$out" "$work/source"
# The wheel does not contain deploy's files for operators.
"$python" -m zipfile -l "$out/$name-py3-none-any.whl" | sed 's/ *[0-9-]* [0-9:]* *[0-9]*$//' >"$work/held"
missing=$(cd "$work/source" && find grader sandbox tournament web deploy/migrations -type f | grep -vxFf "$work/held" || true)
[ -z "$missing" ] || { say "the wheel lacks" $missing; exit 1; }
cp "$work/source/deploy/requirements.lock" "$out/$name-requirements.lock"
git archive --prefix="$name/" HEAD .dockerignore CHANGELOG.md LICENSE README.md SECURITY.md pyproject.toml \
    deploy docs grader sandbox tournament web | gzip -n >"$out/$name-containers.tar.gz"

say "installing the wheel into an empty environment"
"$python" -m venv --without-pip "$work/fresh"
pip --python "$work/fresh/bin/python" install --no-compile --constraint "$out/$name-requirements.lock" "$out/$name-py3-none-any.whl"
(
    cd "$work"
    PATH="$work/fresh/bin:$PATH"
    export PATH
    quadrille --help >/dev/null
    [ "$(quadrille --version)" = "quadrille, version $version" ]
    quadrille migrate --data data >/dev/null
)

say "listing what is in it"
"$cyclonedx" environment --pyproject "$work/source/pyproject.toml" --output-reproducible \
    --output-file "$out/$name.cdx.json" "$work/fresh/bin/python"
(cd "$out" && sha256sum -- * >SHA256SUMS)
say "the release is in dist/"
