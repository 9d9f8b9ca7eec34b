"""Log-probabilities of chosen tokens from forward passes over padded batches."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
import platform
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evenscore.parallel import require
from evenscore.perplexity.models.windows import Windows, ranges
from evenscore.perplexity.source import FloatArray
from evenscore.text.segments import IntArray, Segments, offsets_of, repeated, side_by_side

# Modules, or an ImportError that says what to install; transformers brings huggingface_hub along.
torch = functools.partial(require, "torch", "torch", "a pretrained model")
transformers = functools.partial(require, "transformers", "transformers", "a pretrained model")
huggingface_hub = functools.partial(require, "huggingface_hub", "transformers", "a pretrained model")
peft = functools.partial(require, "peft", "peft", "an adapter")

# How torch's allocators for CUDA, MPS, Linux, Windows say it; only that of CUDA has an exception of its own.
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class Frame(NamedTuple):
    """What stands around a slice of a text in the model's input, and instead of a target.

    prefix, suffix: ids before and after the slice.
    mask: the id that replaces each target; None for a causal model, which reads only what is before a target.
    """

    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    mask: int | None = None

    @property
    def size(self) -> int:
        """How many tokens of the input it takes."""
        return len(self.prefix) + len(self.suffix)


class Batch(NamedTuple):
    """The input of one forward pass, and what to read from its output.

    ids: shape (rows, longest), int64; filled up with zeros on the right.
    is_token: same shape: which of them are no filling.
    rows, columns: shape (targets,): where the model says what the targets are.
    places: shape (targets,): where the targets stand among the ids of all texts.
    """

    ids: IntArray
    is_token: npt.NDArray[np.bool_]
    rows: IntArray
    columns: IntArray
    places: IntArray


def padded(ids: IntArray, windows: Windows, frame: Frame) -> Batch:
    """The windows as one rectangle, each from its left edge on.

    Padding is the id 0, which every vocabulary has; no padding token is needed.  On the right it leaves every
    token at its own position.

    >>> ids, two = np.array([5, 6, 7]), Windows(*np.array([[0, 1], [2, 2], [1, 2], [3, 3]]))
    >>> batch = padded(ids, two, Frame())
    >>> batch.ids.tolist(), batch.rows.tolist(), batch.columns.tolist(), batch.places.tolist()
    ([[5, 6], [6, 0]], [0, 0, 1], [0, 1, 0], [1, 2, 2])
    """
    places = windows.targets()
    rows = np.repeat(np.arange(len(windows.starts)), windows.last_targets - windows.first_targets)
    columns = places - windows.starts[rows] + len(frame.prefix)
    n = len(windows.starts)
    slices = Segments(ids[ranges(windows.starts, windows.stops)], offsets_of(windows.lengths))
    inputs = side_by_side(repeated(frame.prefix, n), slices, repeated(frame.suffix, n))
    width = inputs.lengths.max(initial=0)
    rectangle = inputs.padded(width, 0)
    is_token = np.arange(width) < inputs.lengths[:, None]
    if frame.mask is None:
        return Batch(rectangle, is_token, rows, columns - 1, places)
    rectangle[rows, columns] = frame.mask
    return Batch(rectangle, is_token, rows, columns, places)


def in_batches(
    lengths: IntArray,
    score: Callable[[IntArray], None],
    max_tokens: int,
    max_rows: int | None,
    warn: Callable[[str], None],
) -> Iterator[IntArray]:
    """Call `score` with batches of row numbers until each was in one, longest rows first, ties in their order.

    lengths: shape (n,), tokens of each row, at least 1.
    max_tokens: of a batch, filling counted; a longer row is a batch by itself.
    max_rows: of a batch; None for any number.

    Gives every batch once it is scored.  Where memory does not suffice for one, `warn` is called, and the limit halved;
    raises MemoryError if it does not suffice for a single row.
    """
    order = np.argsort(-lengths, kind="stable")
    done, budget = 0, max_tokens
    while done < len(order):
        longest = int(lengths[order[done]])
        rows = order[done : done + max(1, min(budget // longest, max_rows or len(order)))]
        failure = _out_of_memory(score, rows)
        if failure is None:
            yield rows
            done += len(rows)
        elif len(rows) == 1:
            raise MemoryError(f"not enough memory for a window of {longest} tokens: give a smaller window ({failure})")
        else:
            warn(
                f"not enough memory for {len(rows)} rows of {longest} tokens: going on with smaller batches; "
                f"a smaller max_batch_tokens spares the try"
            )
            budget = len(rows) * longest // 2


def _out_of_memory(score: Callable[[IntArray], None], rows: IntArray) -> str | None:
    """Score rows; what was said if memory did not suffice, None if it did.

    The exception ends here: what it holds on to of the failed batch is free when the next one starts.
    """
    try:
        score(rows)
    except (RuntimeError, MemoryError) as error:
        message = str(error).partition("\n")[0]
        if not isinstance(error, MemoryError) and not any(said in message.lower() for said in _OUT_OF_MEMORY):
            raise
        return message
    return None


Model = Any
Tensor = Any
# Which logits of a batch: rows, columns -> shape (positions, vocabulary).
Logits = Callable[[Tensor, Tensor], Tensor]


def logits_by_head(model: Model, ids: Tensor, mask: Tensor | None) -> Logits:
    """Runs the base model; its head will run on positions that are asked for."""
    inner = without_adapters(model)
    output = base_output(inner, ids, mask)
    hidden = output.last_hidden_state
    return lambda rows, columns: head_logits(inner, output, hidden[rows, columns][None])[0]


def whole_logits(model: Model, ids: Tensor, mask: Tensor) -> Logits:
    """Runs the model as it is, for models that do more than apply a head to hidden states."""
    logits = model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning has logits of its own tokens first.
    before = logits.shape[1] - ids.shape[1]
    return lambda rows, columns: logits[rows, columns + before]


def without_adapters(model: Model) -> Model:
    """The transformers model in a model of PEFT, whose layers its adapters are in; any other model itself."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def base_output(model: Model, ids: Tensor, mask: Tensor) -> Any:
    """What the model without its head puts out, with `last_hidden_state` of shape (rows, longest, width)."""
    # Keys and values of every layer are of use only to a text that goes on.
    takes_cache = "use_cache" in inspect.signature(model.base_model.forward).parameters
    return model.base_model(input_ids=ids, attention_mask=mask, **{"use_cache": False} if takes_cache else {})


def head_logits(model: Model, output: Any, hidden: Tensor) -> Tensor:
    """What the model makes of its base model's output with these hidden states in it.

    A head is more than one layer in some architectures, and some scale or cap the logits after it; so the model's own
    forward runs, in a shallow copy where the base model is replaced by what it gave.
    """
    after = copy.copy(model)
    # What stands in an object's own dictionary comes before the modules that nn.Module registers.
    after.__dict__[model.base_model_prefix] = _Given(dataclasses.replace(output, last_hidden_state=hidden))
    return after().logits


class _Given:
    """In the place of a base model, or of the part of it that a head calls (OPT's decoder): what is already there."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._output

    def __getattr__(self, name: str) -> _Given:
        return self


# rows, weight, bias -> rows @ weight.T + bias
Linear = Callable[[Tensor, Tensor, Any], Tensor]


def by_onednn(model: Model, wanted: bool | None = None) -> contextlib.AbstractContextManager[Any]:
    """While it is entered, the model's linear layers of float32 on a CPU are products of oneDNN, not of MKL.

    wanted: None: where the processor is not Intel's.  MKL keeps its wide instructions for Intel's processors: on a core
      of AMD's Zen 5 it has 110 GFLOPS, oneDNN 230.
    The sums are the same but for rounding.  The model is not changed; other layers, other types and devices, and
    compiled models run as ever.  torch promises nothing of the function that is called, so it is tried first.
    Raises ValueError if it is wanted, and torch has none.
    """
    linear = _onednn_linear(torch()) if (not _is_intel() if wanted is None else wanted) else None
    if wanted and linear is None:
        raise ValueError("onednn=True: this installation of torch has no such product; leave onednn out")
    if linear is None or any(map(_is_compiled, model.modules())):
        return contextlib.nullcontext()
    return _mode(torch(), linear)


def _is_intel() -> bool:
    """Whether the processor is Intel's, as far as the operating system says so."""
    information = Path("/proc/cpuinfo")
    said = information.read_text(encoding="utf-8") if information.is_file() else platform.processor()
    return "GenuineIntel" in said


def _mode(package: Any, linear: Linear) -> contextlib.AbstractContextManager[Any]:
    """What hands linear layers of ordinary tensors to `linear`; package: torch."""
    instead: dict[Any, Callable[..., Tensor]] = {
        package.nn.functional.linear: linear,
        # GPT-2 has its weights the other way round.
        package.addmm: lambda bias, rows, weight: linear(rows, weight.T, bias),
    }
    ordinary, float32 = (package.Tensor, package.nn.Parameter), package.float32

    def fits(value: Any) -> bool:
        is_float32 = type(value) in ordinary and value.dtype is float32
        return value is None or (is_float32 and value.is_cpu and value.numel() > 0)

    class ByOneDnn(package.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            run = instead.get(function)
            if run is None or kwargs or not all(map(fits, args)) or package.compiler.is_compiling():
                return function(*args, **(kwargs or {}))
            return run(*args) if len(args) == 3 else run(*args, None)

    return ByOneDnn()


def _onednn_linear(package: Any) -> Linear | None:
    """oneDNN's product, as torch's compiler calls it; None where torch has none, or one with other arguments."""
    if not (package.backends.mkldnn.is_available() and package.backends.mkldnn.enabled):
        return None
    two = package.eye(2)
    try:
        run = package.ops.mkldnn._linear_pointwise.default
        is_known = package.equal(run(two, 3 * two, two[0], "none", [], ""), 3 * two + two[0])
    # torch promises nothing of what it has for its own use.
    except (AttributeError, RuntimeError, TypeError):
        return None
    return (lambda rows, weight, bias: run(rows, weight, bias, "none", [], "")) if is_known else None


def _is_compiled(module: Model) -> bool:
    """Whether its forward is not that of its class, as torch.compile leaves it: it would be compiled anew."""
    return hasattr(module, "_orig_mod") or module._compiled_call_impl is not None or "forward" in vars(module)


# How many logits are taken at once on a cpu: 2 MB as float32, which its caches hold, but those of 128 positions, which
# products of matrices need, up to 16 MB; at 64 MB normalising took four times as long.  Elsewhere 256 MB.
_FEW_LOGITS, _MANY_LOGITS, _POSITIONS = 1 << 19, 1 << 22, 128
_LOGITS_ELSEWHERE = 1 << 26
_ONE_AT_A_TIME = threading.RLock()


def token_log_probs(model: Model, batch: Batch, targets: IntArray, *, has_head: bool, is_causal: bool) -> FloatArray:
    """Natural logarithms of the targets' probabilities, shape (targets,).

    targets: shape (targets,), the ids that count at batch.rows, batch.columns.
    has_head: whether the head can be applied by itself, see pretrained.has_separate_head.
    is_causal: whether no token sees what stands after it, such as padding: then it need not be masked, which is faster.

    Memory: hidden states of the batch, with the logits of a chunk of positions; where the head cannot be applied by
    itself, the logits of the batch.  The logarithm is taken in float32, whatever type the model has.
    """
    device = model.get_input_embeddings().weight.device
    ids, mask, rows, columns, wanted = (
        torch().as_tensor(array, device=device)
        for array in (batch.ids, batch.is_token.astype(np.int64), batch.rows, batch.columns, targets)
    )
    run = logits_by_head if has_head else whole_logits
    logits = run(model, ids, None if is_causal else mask)
    size = _positions_at_once(device.type, vocabulary_size(model))
    parts = [slice(start, start + size) for start in range(0, len(wanted), size)]
    chunks = [_chosen_log_probs(logits(rows[part], columns[part]), wanted[part]) for part in parts]
    result: FloatArray = torch().cat(chunks).double().cpu().numpy()
    return result


def _positions_at_once(device: str, vocabulary: int) -> int:
    logits = max(_FEW_LOGITS, min(_POSITIONS * vocabulary, _MANY_LOGITS)) if device == "cpu" else _LOGITS_ELSEWHERE
    return max(1, logits // vocabulary)


def vocabulary_size(model: Model) -> int:
    """How many token ids the model knows."""
    return int(model.get_input_embeddings().weight.shape[0])


@contextlib.contextmanager
def evaluation(model: Model) -> Iterator[None]:
    """Dropout off, no gradients; every module's training flag as it was afterwards.

    One at a time: the flags are the model's, which threads may share.
    """
    with _ONE_AT_A_TIME:
        flags = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            # Not inference_mode: a model may keep a tensor that it makes, and train with it afterwards.
            with torch().no_grad():
                yield
        finally:
            for module, flag in flags:
                module.training = flag


def _chosen_log_probs(logits: Tensor, targets: Tensor) -> Tensor:
    """log softmax(logits)[target] of each row: -inf where the probability is 0."""
    log_probs = logits.float().log_softmax(1)
    return log_probs.gather(1, targets.to(log_probs.device)[:, None])[:, 0]
