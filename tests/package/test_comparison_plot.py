"""Figures of comparisons: what is drawn where, and the files they are written to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.image
import pytest
from example_files import EXAMPLES
from matplotlib.colors import to_hex
from small_corpus import METRICS, refusal

import evenscore
from evenscore.cli import main
from evenscore.plots import PLOT_SUFFIXES, plot_comparison, write_plot

FILES = [str(EXAMPLES / f"{name}.txt") for name in ("baseline", "predictions", "predictions2")]
WORDS = ["compare", *FILES, "--references", *(str(EXAMPLES / f"reference{i}.txt") for i in (1, 2))]
FEW = ["--trials", "50", "--n-resamples", "50"]


def result(*p_values: float, scores: tuple[float, ...], name: str = "score", ends: bool = True) -> dict[str, Any]:
    """What compare would give for these scores, the baseline's first, under one name."""
    around = [{f"{name}_low": score - 2.5, f"{name}_high": score + 1.5} if ends else {} for score in scores]
    rows: list[dict[str, float]] = [{name: score, **own} for score, own in zip(scores, around, strict=True)]
    tested = [{**row, f"{name}_p_value": value} for row, value in zip(rows[1:], p_values, strict=True)]
    signature = "nrefs:1|ci:0.9[50]|seed:1" if ends else "nrefs:1|seed:1"
    return {"baseline": rows[0], "systems": tested, "signature": signature}


def lines(axes: Any, kind: str) -> list[Any]:
    return [line for line in axes.get_lines() if line.get_label() == kind]


def points(axes: Any) -> list[tuple[float, float]]:
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in lines(axes, "score")]


def bars(axes: Any) -> list[tuple[list[float], list[float]]]:
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in lines(axes, "interval")]


def beside(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def legend(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


# --- what is drawn


def test_points_are_scores_and_bars_their_intervals() -> None:
    figure = plot_comparison({"m": result(0.01, 0.3, scores=(10.0, 12.5, 9.75))}, ["a", "b", "c"])
    (axes,) = figure.axes
    assert points(axes) == [(10.0, 0.0), (12.5, 1.0), (9.75, 2.0)]
    assert bars(axes) == [([7.5, 11.5], [0, 0]), ([10.0, 14.0], [1, 1]), ([7.25, 11.25], [2, 2])]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert list(axes.get_yticks()) == [0, 1, 2]
    # The baseline is on top, with a line down from its score.
    assert axes.get_ylim() == (2.5, -0.5)
    (line,) = (line for line in axes.get_lines() if line.get_linestyle() == "--")
    assert list(line.get_xdata()) == [10.0, 10.0]
    assert beside(axes) == ["10.0000", "12.5000  p = 0.0100  *", "9.7500  p = 0.3000"]


@pytest.mark.parametrize(
    ("name", "markers", "direction"),
    [("score", "s^vooo", "higher is better"), ("wer", "sv^ooo", "lower is better")],
)
def test_what_differs_is_told_by_its_marker_its_colour_and_a_star(name: str, markers: str, direction: str) -> None:
    scores = (0.5, 0.625, 0.25, 0.75, 0.375, 0.5)
    # The last one's score is the baseline's: it does not differ, whatever the test says.
    tested = result(0.04, 0.00001, 0.05, 0.9, 0.001, scores=scores, name=name)
    figure = plot_comparison({"m": tested})
    (axes,) = figure.axes
    drawn = lines(axes, "score")
    assert "".join(line.get_marker() for line in drawn) == markers
    colours = {"s": "#000000", "^": "#0072b2", "v": "#d55e00", "o": "#6e6e6e"}
    for line, bar in zip(drawn, lines(axes, "interval"), strict=True):
        marker = line.get_marker()
        assert to_hex(line.get_color()) == to_hex(bar.get_color()) == colours[marker]
        assert to_hex(line.get_markerfacecolor()) == ("#ffffff" if marker == "o" else colours[marker])
    assert [text.endswith("  *") for text in beside(axes)] == [marker in "^v" for marker in markers]
    assert beside(axes)[2] == "0.2500  p < 0.0001  *"
    assert (axes.get_title("left"), axes.get_title("right")) == (f"m {name}", direction)
    keys = ["baseline", "better, p < 0.05 *", "worse, p < 0.05 *", "no significant difference"]
    assert legend(figure) == [*keys, "90 % interval"]


@pytest.mark.parametrize("score", ["perplexity", "bits_per_byte", "cer"])
def test_lower_perplexity_and_fewer_errors_are_better(score: str) -> None:
    figure = plot_comparison({"m": result(0.01, scores=(5.0, 4.0), name=score)})
    assert [line.get_marker() for line in lines(figure.axes[0], "score")] == ["s", "^"]


def test_without_intervals_there_are_points_alone() -> None:
    figure = plot_comparison({"m": result(0.5, scores=(1.0, 2.0), ends=False)})
    assert (points(figure.axes[0]), bars(figure.axes[0])) == ([(1.0, 0.0), (2.0, 1.0)], [])
    assert legend(figure) == ["baseline", "no significant difference"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["baseline", "system 1"]


def test_every_metric_and_score_has_a_panel() -> None:
    systems, references = (["a b c d", "x y"], ["a b c d e", "x"], ["a", "y x z"]), ["a b c d", "x"]
    tested = {
        name: evenscore.load(name, confidence=0.95, n_resamples=20).compare(*systems, references=references)
        for name in METRICS
    }
    figure = evenscore.plot_comparison(tested)
    titles = ["bleu_corpus score", "rouge_l_multi rougeL", "rouge_l_multi rougeLsum", "wer_dp wer"]
    assert [axes.get_title("left") for axes in figure.axes] == titles
    for axes in figure.axes:
        metric, score = axes.get_title("left").split()
        rows = [tested[metric]["baseline"], *tested[metric]["systems"]]
        assert points(axes) == [(row[score], i) for i, row in enumerate(rows)]
        assert bars(axes) == [([row[f"{score}_low"], row[f"{score}_high"]], [i, i]) for i, row in enumerate(rows)]


def test_perplexities_are_plotted() -> None:
    metric: Any = evenscore.load("perplexity", confidence=0.95, n_resamples=20)
    tested = metric.compare({"log_probs": [[-1.0, -2.0], [-3.0]]}, {"log_probs": [[-1.0, -2.0], [-2.0]]})
    (axes,) = plot_comparison({"perplexity": tested}).axes
    assert [x for x, _ in points(axes)] == [tested["baseline"]["perplexity"], tested["systems"][0]["perplexity"]]
    assert axes.get_title("right") == "lower is better"


def test_nothing_given_is_changed() -> None:
    tested, names = {"m": result(0.01, scores=(1.0, 2.0))}, ["a", "b"]
    before = json.dumps([tested, names])
    plot_comparison(tested, names)
    assert json.dumps([tested, names]) == before


def test_a_notebook_shows_it() -> None:
    figure = plot_comparison({"m": result(0.01, scores=(1.0, 2.0))})
    assert figure._repr_png_().startswith(b"\x89PNG")


# --- names are text

NAMES = ["$x_1$", r"\alpha_2 $", "a_b^c {d} 100 % & #", "<b>é</b>", r"\$"]


@pytest.mark.parametrize("usetex", [False, True])
def test_names_are_drawn_as_they_are(usetex: bool) -> None:
    with matplotlib.rc_context({"text.usetex": usetex}):
        figure = plot_comparison({"$m_1$": result(1, 1, 1, 1, scores=(1.0,) * 5)}, NAMES)
    (axes,) = figure.axes
    own = [*axes.get_yticklabels(), *axes.texts, axes.title, axes._left_title, axes._right_title]
    assert [text.get_text() for text in own[:5]] == NAMES
    assert {(text.get_parse_math(), text.get_usetex()) for text in own if text.get_text()} == {(False, False)}


def test_names_stand_in_an_svg_as_they_are(tmp_path: Path) -> None:
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        write_plot(plot_comparison({"m": result(1, 1, 1, 1, scores=(1.0,) * 5)}, NAMES), tmp_path / "a.svg")
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text in NAMES] == NAMES


# --- files


@pytest.mark.parametrize("suffix", PLOT_SUFFIXES)
def test_equal_results_give_equal_files(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tested = {"m": result(0.01, 0.3, scores=(10.0, 12.5, 9.75))}
    for year, name in (("1", f"a{suffix}"), ("2", f"b{suffix.upper()}")):
        # Were a date written, it would be this one.
        monkeypatch.setenv("SOURCE_DATE_EPOCH", f"{year}000000000")
        write_plot(plot_comparison(tested), tmp_path / name)
    first, second = sorted(tmp_path.iterdir())
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.svg").write_text("old", encoding="utf-8")
    figure = plot_comparison({"m": result(0.01, scores=(1.0, 2.0))})

    def interrupted(path: Path, **options: Any) -> None:
        path.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(figure, "savefig", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_plot(figure, tmp_path / "a.svg")
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {"a.svg": "old"}


# --- the command


def test_the_command_draws_what_it_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, *FEW, "--metric", "bleu_corpus", "wer_dp", "--format", "json"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert main([*words, "--plot", str(tmp_path / "a.svg")]) == 0
    assert capsys.readouterr().out == printed
    names = [Path(path).name for path in FILES]
    write_plot(plot_comparison(json.loads(printed)["metrics"], names), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_png_holds_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    assert main([*WORDS, *FEW, "--metric", "wer_dp", "--confidence", "None", "--plot", str(path)]) == 0
    height, width, _ = matplotlib.image.imread(path).shape
    assert (height > 300, width > 1000) == (True, True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.jpeg", "--plot {0}: name a file that ends in .svg or .png or .pdf"),
        ("a", "--plot {0}: name a file that ends in .svg or .png or .pdf"),
        ("no/a.svg", "{0}: there is no folder {1}: make it first"),
        ("folder.svg", "{0} is a folder: name a file"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(
    name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.svg").mkdir()
    path = tmp_path / name
    assert main([*WORDS, "--plot", str(path)]) == 2
    assert capsys.readouterr() == ("", f"evenscore: {message.format(path, path.parent)}\n")


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(name: str, *arguments: Any) -> Any:
        if name.partition(".")[0] == "matplotlib":
            raise ImportError(name)
        return present(name, *arguments)

    present = evenscore.parallel.importlib.import_module
    monkeypatch.setattr(evenscore.parallel.importlib, "import_module", absent)
    assert main([*WORDS, "--plot", str(tmp_path / "a.svg")]) == 2
    expected = "--plot needs the package matplotlib: pip install matplotlib"
    assert capsys.readouterr() == ("", f"evenscore: {expected}\n")
    with pytest.raises(ImportError, match="plot_comparison needs the package matplotlib: pip install matplotlib"):
        plot_comparison({"m": result(0.01, scores=(1.0, 2.0))})


# --- refusals


def test_what_cannot_be_plotted_is_refused() -> None:
    two, three = result(0.1, scores=(1.0, 2.0)), result(0.1, 0.1, scores=(1.0, 2.0, 3.0))
    refusals = {
        "nothing to plot: give {metric name: result of compare}": lambda: plot_comparison({}),
        "tested is one result of compare: give {metric name: result of compare}": lambda: plot_comparison(two),
        "a has 1 system but b has 2: plot them one by one": lambda: plot_comparison({"a": two, "b": three}),
        "3 names for 2 rows: give the baseline's name, then each system's": lambda: plot_comparison(
            {"a": two}, ["x", "y", "z"]
        ),
    }
    for message, call in refusals.items():
        assert refusal(call) == message


def test_what_compare_did_not_give_is_refused() -> None:
    tested = result(0.1, scores=(1.0, 2.0))
    computed = evenscore.load("bleu_corpus").compute(predictions=["a b"], references=["a b"])
    give = "give {metric name: result of compare}"
    strange: dict[str, Any] = {
        f"tested is of type list: {give}": [tested],
        f"tested is of type NoneType: {give}": None,
        f"tested[{next(iter(computed))!r}] is not a result of compare: {give}": computed,
        f"tested['bleu_corpus'] is not a result of compare: {give}": {"wer_dp": tested, "bleu_corpus": computed},
        f"tested['wer_dp'] is not a result of compare: {give}": {"wer_dp": [tested]},
    }
    for message, given in strange.items():
        assert refusal(lambda given=given: plot_comparison(given)) == message
