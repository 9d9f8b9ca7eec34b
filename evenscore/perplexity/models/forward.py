"""Computes log-probabilities of target tokens by forward passes over padded batches."""

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

# Each returns the module, or raises ImportError with the package to install. transformers installs huggingface_hub.
# Who gives model= has both packages.
torch = functools.partial(require, "torch", "torch", "model_id, a pretrained model,")
transformers = functools.partial(require, "transformers", "transformers", "model_id, a pretrained model,")
huggingface_hub = functools.partial(require, "huggingface_hub", "transformers", "model_id, a pretrained model,")
peft = functools.partial(require, "peft", "peft", "an adapter")

# Messages of torch's allocators for CUDA, MPS, Linux and Windows. Only CUDA has its own exception.
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


class Frame(NamedTuple):
    """The ids around a window in the model's input.

    prefix, suffix: ids before and after the window.
    mask: the id that replaces each target; None for a causal model.
    """

    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    mask: int | None = None

    @property
    def size(self) -> int:
        """The number of ids around a window."""
        return len(self.prefix) + len(self.suffix)


class Batch(NamedTuple):
    """The input of one forward pass, and the positions of its targets.

    ids: int64, shape (rows, longest), padded with zeros on the right.
    is_token: which ids are not padding, same shape.
    rows, columns: the positions of the logits that predict the targets, shape (targets,).
    places: the positions of the targets among the ids of all texts, shape (targets,).
    """

    ids: IntArray
    is_token: npt.NDArray[np.bool_]
    rows: IntArray
    columns: IntArray
    places: IntArray


def padded(ids: IntArray, windows: Windows, frame: Frame) -> Batch:
    """Arrange windows as the rows of a batch, padded on the right, so that all tokens keep their positions.

    The padding is id 0, which every vocabulary has, so the tokenizer needs no padding token.

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
    rectangle = inputs.padded(np.arange(n), width, 0)
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
    """Call `score` with batches of row indices, longest rows first, and yield each batch after scoring it.

    lengths: tokens per row, at least 1, shape (n,).
    max_tokens: limit per batch, including padding; a longer row is a batch by itself.
    max_rows: limit per batch; None for no limit.

    If a batch does not fit into memory, calls `warn` and halves the limit. Raises MemoryError if a single row does not
    fit.
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
                f"not enough memory for {len(rows)} rows of {longest} tokens: continuing with smaller batches; "
                f"set a smaller max_batch_tokens to avoid the failed attempt"
            )
            budget = len(rows) * longest // 2


def _out_of_memory(score: Callable[[IntArray], None], rows: IntArray) -> str | None:
    """Score rows. Return the error message if memory was insufficient, else None.

    Catching the exception here releases its references to the failed batch before the next batch starts.
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
# Maps rows and columns of a batch to logits, shape (positions, vocabulary).
Logits = Callable[[Tensor, Tensor], Tensor]


def logits_by_head(model: Model, ids: Tensor, mask: Tensor | None) -> Logits:
    """Run the base model now, and its head later on the requested positions only."""
    inner = without_adapters(model)
    output = base_output(inner, ids, mask)
    hidden = output.last_hidden_state
    return lambda rows, columns: head_logits(inner, output, hidden[rows, columns][None])[0]


def whole_logits(model: Model, ids: Tensor, mask: Tensor) -> Logits:
    """Run the whole model, for models that do more than apply a head to hidden states."""
    logits = model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning prepends logits of its own tokens.
    before = logits.shape[1] - ids.shape[1]
    return lambda rows, columns: logits[rows, columns + before]


def without_adapters(model: Model) -> Model:
    """Return the transformers model, with its adapters, inside a PEFT model; any other model unchanged."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def base_output(model: Model, ids: Tensor, mask: Tensor) -> Any:
    """Return the output of the model without its head; `last_hidden_state` has shape (rows, longest, width)."""
    # The cache of keys and values only helps to continue a text.
    takes_cache = "use_cache" in inspect.signature(model.base_model.forward).parameters
    return model.base_model(input_ids=ids, attention_mask=mask, **{"use_cache": False} if takes_cache else {})


def head_logits(model: Model, output: Any, hidden: Tensor) -> Tensor:
    """Return the model's logits for these hidden states, in place of those in its base model's output.

    Some architectures have heads of several layers, or scale or cap the logits. So this runs the model's own forward,
    on a shallow copy whose base model returns the given output.
    """
    after = copy.copy(model)
    # An instance attribute takes precedence over the modules that nn.Module registers.
    after.__dict__[model.base_model_prefix] = _Given(dataclasses.replace(output, last_hidden_state=hidden))
    return after().logits


class _Given:
    """Replaces a base model, or the part of it that forward calls (OPT's decoder), and returns a given output."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._output

    def __getattr__(self, name: str) -> _Given:
        return self


# rows, weight, bias -> rows @ weight.T + bias
Linear = Callable[[Tensor, Tensor, Any], Tensor]


def by_onednn(model: Model, wanted: bool | None = None) -> contextlib.AbstractContextManager[Any]:
    """Return a context manager that runs float32 linear layers on a CPU by oneDNN instead of MKL.

    wanted: None: on CPUs other than Intel's. MKL uses its wide instructions on Intel's CPUs only: on a core of AMD's
      Zen 5 it reaches 110 GFLOPS, oneDNN 230.
    Results differ by rounding only. The model is not changed. Other layers, dtypes and devices, and compiled models,
    run as usual. The function is private to torch, so it is tested first.
    Raises ValueError if `wanted` is True but torch does not have the function.
    """
    linear = _onednn_linear(torch()) if (not _is_intel() if wanted is None else wanted) else None
    if wanted and linear is None:
        raise ValueError("onednn=True: this installation of torch does not support it; leave onednn out")
    if linear is None or any(map(_is_compiled, model.modules())):
        return contextlib.nullcontext()
    return _mode(torch(), linear)


def _is_intel() -> bool:
    """Whether the operating system reports an Intel CPU."""
    information = Path("/proc/cpuinfo")
    said = information.read_text(encoding="utf-8") if information.is_file() else platform.processor()
    return "GenuineIntel" in said


def _mode(package: Any, linear: Linear) -> contextlib.AbstractContextManager[Any]:
    """Return a mode that runs linear layers of ordinary tensors by `linear`; package: torch."""
    instead: dict[Any, Callable[..., Tensor]] = {
        package.nn.functional.linear: linear,
        # GPT-2 stores its weights transposed.
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
    """Return oneDNN's linear function, as torch's compiler calls it; None if torch lacks it or its arguments differ."""
    if not (package.backends.mkldnn.is_available() and package.backends.mkldnn.enabled):
        return None
    two = package.eye(2)
    try:
        run = package.ops.mkldnn._linear_pointwise.default
        is_known = package.equal(run(two, 3 * two, two[0], "none", [], ""), 3 * two + two[0])
    # The function is private, so it may be missing or have other arguments.
    except (AttributeError, RuntimeError, TypeError):
        return None
    return (lambda rows, weight, bias: run(rows, weight, bias, "none", [], "")) if is_known else None


def _is_compiled(module: Model) -> bool:
    """Whether torch.compile replaced the module's forward, which the mode would cause to be compiled again."""
    return hasattr(module, "_orig_mod") or module._compiled_call_impl is not None or "forward" in vars(module)


# Logits to compute at once. On a CPU: 2 MB as float32, which fit into its caches, but at least 128 positions, for fast
# matrix products, up to 16 MB; at 64 MB the log-softmax took four times as long. On other devices: 256 MB.
_FEW_LOGITS, _MANY_LOGITS, _POSITIONS = 1 << 19, 1 << 22, 128
_LOGITS_ELSEWHERE = 1 << 26
_ONE_AT_A_TIME = threading.RLock()


def token_log_probs(model: Model, batch: Batch, targets: IntArray, *, has_head: bool, is_causal: bool) -> FloatArray:
    """Return the natural log-probabilities of the targets, shape (targets,).

    targets: the target ids at batch.rows, batch.columns, shape (targets,).
    has_head: whether the head can be applied separately, see pretrained.has_separate_head.
    is_causal: whether tokens ignore later ones, such as padding. Then no mask is needed, which is faster.

    Needs memory for the hidden states of the batch and the logits of a chunk of positions, or for the logits of the
    batch if the head cannot be applied separately. The log-softmax is computed in float32 for any dtype.
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
    """Return the number of token ids that the model accepts."""
    return int(model.get_input_embeddings().weight.shape[0])


@contextlib.contextmanager
def evaluation(model: Model) -> Iterator[None]:
    """Disable dropout and gradients, and restore each module's training flag at the end.

    A lock admits one thread at a time, because the flags belong to the model, which threads may share.
    """
    with _ONE_AT_A_TIME:
        flags = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            # Not inference_mode: a model may cache a tensor and use it in training later.
            with torch().no_grad():
                yield
        finally:
            for module, flag in flags:
                module.training = flag


def _chosen_log_probs(logits: Tensor, targets: Tensor) -> Tensor:
    """Return log softmax(logits)[target] of each row, -inf for probability 0."""
    log_probs = logits.float().log_softmax(1)
    return log_probs.gather(1, targets.to(log_probs.device)[:, None])[:, 0]
