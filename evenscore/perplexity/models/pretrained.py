"""Loads pretrained models with their tokenizers, and probes their properties."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from evenscore.perplexity.models.forward import (
    Model,
    Tensor,
    base_output,
    evaluation,
    head_logits,
    huggingface_hub,
    peft,
    torch,
    transformers,
    vocabulary_size,
    without_adapters,
)


def has_separate_head(model: Model) -> bool:
    """Whether the head, applied to the base model's last hidden states, gives the same logits on a probe, bit for bit.

    This fails, for example, if PEFT's prompt tuning prepends its own tokens.
    """
    ids, mask = _probe(model)
    mask[1, 3:] = 0
    inner = without_adapters(model)
    try:
        output = base_output(inner, ids, mask)
        by_head = head_logits(inner, output, output.last_hidden_state)
    except (torch().OutOfMemoryError, MemoryError):
        raise
    # Architectures raise various exceptions here.
    except Exception:
        return False
    return bool(torch().equal(by_head, model(input_ids=ids, attention_mask=mask).logits))


def gives_logits(model: Model) -> bool:
    """Whether the model gives logits for each token, unlike a model without a head or a classifier."""
    ids, mask = _probe(model)
    try:
        logits = model(input_ids=ids, attention_mask=mask).logits
    # A model without a head has no logits; classifiers raise various exceptions.
    except (AttributeError, ValueError):
        return False
    return bool(logits.dim() == 3 and logits.shape[-1] > 2)


def ignores_padding(model: Model) -> bool:
    """Whether padding after a text leaves its logits unchanged. It does not in models that mix all positions."""
    ids, mask = _probe(model)
    mask[:, 3:] = 0
    alone, padded = model(input_ids=ids[:, :3]).logits, model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning prepends logits of its own tokens.
    before = padded.shape[1] - ids.shape[1]
    return bool((alone[:, before:] - padded[:, before : before + 3]).abs().max() <= _noise(alone))


def reads_ahead(model: Model) -> bool:
    """Whether the logits at a position depend on later tokens."""
    ids, mask = _probe(model)
    other = ids.clone()
    other[:, -1] = 0
    before, after = (model(input_ids=each, attention_mask=mask).logits[:, :-1] for each in (ids, other))
    return bool((before - after).abs().max() > _noise(before))


def _noise(logits: Tensor) -> Tensor:
    """Return a bound on differences of logits by rounding. A change of the model's input has larger effects."""
    return 256 * torch().finfo(logits.dtype).eps * logits.abs().max()


def _probe(model: Model) -> tuple[Tensor, Tensor]:
    """Return ids of two rows of five tokens, and a mask that keeps all of them."""
    device = model.get_input_embeddings().weight.device
    ids = torch().arange(1, 11, device=device).reshape(2, 5) % vocabulary_size(model)
    return ids, torch().ones_like(ids)


def as_device(name: Any) -> Any:
    """Return the torch.device for "cpu", "cuda", "cuda:1", "mps" or "gpu", which means cuda.

    None means cuda if it is available, else cpu. Raises ValueError for an unknown or unavailable device.
    """
    if name is None:
        return torch().device("cuda" if torch().cuda.is_available() else "cpu")
    try:
        device = torch().device("cuda" if name == "gpu" else str(name))
    except RuntimeError:
        device = None
    counts = {"cpu": 1, "cuda": torch().cuda.device_count(), "mps": int(torch().backends.mps.is_available())}
    if device is None or device.type not in counts:
        raise ValueError(f"device={name!r}: choose 'cpu', 'cuda', 'cuda:1' (or another number), 'mps' or 'gpu'")
    count = counts[device.type]
    if (device.index or 0) >= count:
        raise ValueError(f"device={name!r} is not available: this machine has {count} of type {device.type}")
    return device


def as_dtype(name: Any) -> Any:
    """Return the torch.dtype for a name such as "float32" or "bfloat16"; None, the checkpoint's own, stays None.

    Raises ValueError for an unknown name, and for types other than floating point.
    """
    if name is None:
        return None
    dtype = getattr(torch(), str(name).removeprefix("torch."), None)
    if not isinstance(dtype, torch().dtype) or not dtype.is_floating_point:
        raise ValueError(f"dtype={name!r}: choose 'float32', 'bfloat16', 'float16' or another floating-point type")
    return dtype


class Checkpoint(NamedTuple):
    """A local folder or a name on the hub.

    asked_as: the name of the argument, for error messages.
    """

    place: str
    is_folder: bool
    asked_as: str


def checkpoint(given: Any, asked_as: str) -> Checkpoint:
    """Return the checkpoint for a string or path.

    Raises ValueError if it looks like a path but is not a folder. Such names are never requested from the hub.
    """
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise ValueError(f"{asked_as}={given!r}: give a folder, or a name on the hub")
    name = os.fspath(given)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Checkpoint(str(folder), True, asked_as)
    # Names on the hub are `name` or `owner/name`.
    is_no_name = name.startswith((".", "~", "/", os.sep)) or "\\" in name or name.count("/") > 1
    if isinstance(given, os.PathLike) or is_no_name or Path(name).exists():
        found = "is a file" if folder.exists() else "does not exist"
        raise ValueError(
            f"{asked_as}={str(given)!r}: looked for the folder {folder.absolute()}, which {found}; the hub was not "
            f"asked, since this is a path"
        )
    return Checkpoint(name, False, asked_as)


def load_part(loader: Callable[..., Any], source: Checkpoint, **options: Any) -> Any:
    """Call a from_pretrained function of transformers on a checkpoint.

    A folder is loaded without the hub. A name is looked up in the local cache, then on the hub unless HF_HUB_OFFLINE is
    set. Raises ValueError with the error of each place.
    """
    is_offline = bool(huggingface_hub().constants.HF_HUB_OFFLINE)
    if source.is_folder:
        failures, tries = [], {f"the folder {source.place}": True}
    else:
        failures = [f"the folder {Path(source.place).absolute()}: does not exist"]
        tries = {"the local cache": True} if is_offline else {"the local cache": True, "the hub": False}
    for place, local_files_only in tries.items():
        try:
            # To run a checkpoint's own code, users load the model themselves and pass it as model=.
            return loader(source.place, local_files_only=local_files_only, trust_remote_code=False, **options)
        # Parsers, the hub and architectures raise various exceptions.
        except Exception as error:
            failures.append(f"{place}: {type(error).__name__}: {_first_line(error)}")
    if is_offline and not source.is_folder:
        failures.append("the hub: not asked, since HF_HUB_OFFLINE is set")
    tried = "".join(f"\n  {failure}" for failure in failures)
    raise ValueError(f"{source.asked_as}={source.place!r} cannot be loaded; what was tried:{tried}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


_CONFIGURATION = "adapter_config.json"
_TOKENIZER_FILES = ("tokenizer_config.json", "tokenizer.json")


def adapted_by(source: Checkpoint) -> Checkpoint | None:
    """Return the base model of the adapter in a folder; None if the checkpoint is a model itself.

    Raises ValueError if the adapter does not name its base model, or names a missing folder.
    """
    folder = Path(source.place)
    if not source.is_folder or (folder / "config.json").exists() or not (folder / _CONFIGURATION).exists():
        return None
    said = json.loads((folder / _CONFIGURATION).read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not said:
        raise ValueError(
            f"model_id={source.place!r} is an adapter that does not name its base model: load both with peft, and "
            f"give model= and tokenizer="
        )
    return checkpoint(said, f"the base model that the adapter model_id={source.place!r} names")


def with_adapter(model: Model, source: Checkpoint) -> Model:
    """Return the model with the adapter of a folder in its layers.

    Raises ImportError without peft, and ValueError if the adapter is incomplete or belongs to another model.
    """
    load = peft().PeftModel.from_pretrained
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Found missing adapter keys")
            return load(model, source.place)
    # PEFT raises various exceptions.
    except Exception as error:
        message = f"the adapter does not fit {type(model).__name__}: {_first_line(error)[:200]}"
        raise ValueError(f"model_id={source.place!r}: {message}") from error


def adapters_name(model: Model) -> str:
    """Return "+name@digest of its weights" for each active adapter, for signatures; "" without adapters."""
    # In PEFT's layers disable_adapters is a flag, in transformers' models a method.
    if any(getattr(module, "disable_adapters", False) is True for module in model.modules()):
        return ""
    states = {name: peft().get_peft_model_state_dict(model, adapter_name=name) for name in _active_adapters(model)}
    return "".join(f"+{name}@{_digest(state)}" for name, state in states.items())


def _active_adapters(model: Model) -> list[str]:
    """Return the names of the adapters that a model uses."""
    if hasattr(model, "get_base_model"):
        return list(model.active_adapters)
    if not getattr(model, "_hf_peft_config_loaded", False):
        return []
    # From PEFT's layers, because transformers' own method refuses releases of PEFT: 5.24.0 refuses 0.21.2.
    layer = peft().tuners.tuners_utils.BaseTunerLayer
    return next((list(module.active_adapters) for module in model.modules() if isinstance(module, layer)), [])


def _digest(state: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    # PEFT's names of the same weights have a prefix that transformers' names lack.
    for name, weight in sorted((name.removeprefix("base_model.model."), weight) for name, weight in state.items()):
        digest.update(name.encode() + weight.detach().cpu().contiguous().view(torch().uint8).numpy().tobytes())
    return digest.hexdigest()[:8]


ModelType = Literal["causal", "masked"]

_AUTO_MODELS = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM"}
_ENDINGS: dict[str, ModelType] = {"ForCausalLM": "causal", "LMHeadModel": "causal", "ForMaskedLM": "masked"}
# Names of the number of positions in configurations.
_POSITIONS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len")
# Tokenizers without a limit report 10 ** 30.
_SANE_LENGTH = 10**9


@dataclasses.dataclass(frozen=True)
class Pretrained:
    """A loaded model and its properties, kept between calls.

    model, tokenizer: objects of transformers or PEFT.
    model_type: "causal" or "masked".
    name: the model's name without parent folders, and its dtype.
    positions: the most tokens that it can read at once; None if unknown.
    has_head: whether its head can be applied to single positions.
    ignores_padding: whether texts of different lengths can share a batch.
    warned: the kinds of warnings already issued.
    """

    model: Any
    tokenizer: Any
    model_type: ModelType
    name: str
    positions: int | None
    has_head: bool
    ignores_padding: bool
    warned: set[str] = dataclasses.field(default_factory=set, repr=False, compare=False)

    def warn_once(self, kind: str, message: str) -> None:
        """Warn at most once per kind while the model is loaded."""
        if kind not in self.warned:
            self.warned.add(kind)
            warnings.warn(message, stacklevel=2)


# The options of load_pretrained.
LOADING = ("model_id", "model", "tokenizer", "model_type", "device", "dtype")


def load_pretrained(
    *,
    model_id: Any = None,
    model: Any = None,
    tokenizer: Any = None,
    model_type: ModelType | None = None,
    device: Any = None,
    dtype: Any = None,
) -> Pretrained:
    """Load a model and its tokenizer, or use loaded ones without changing them.

    The arguments are the options of the same names.
    model_id: a folder, which may contain only a PEFT adapter, or a name on the hub.
    tokenizer: a loaded tokenizer, a folder or a name on the hub; None: that of model_id.
    model_type: None: from the name of the model's class.
    Raises ValueError for missing or contradictory arguments, and ImportError without torch or transformers.
    """
    if model is None:
        source = checkpoint(model_id, "model_id")
        base = adapted_by(source)
        model = _load_model(base or source, model_type, as_device(device), as_dtype(dtype))
        if tokenizer is None:
            tokenizer = model_id
            if base is not None:
                brings_one = any((Path(source.place) / name).exists() for name in _TOKENIZER_FILES)
                tokenizer = source.place if brings_one else base.place
        if base is not None:
            model, model_id = with_adapter(model, source), base.place
    else:
        _check_loaded(model, model_id, tokenizer, device, dtype)
    inner = without_adapters(model)
    chosen = _model_type([type(inner).__name__], inner.config, model_type)
    loaded_tokenizer = _tokenizer(tokenizer)
    with evaluation(model):
        _check_output(model, chosen)
        has_head, pads = has_separate_head(model), ignores_padding(model)
    name, positions = _name(inner, model_id), _positions(model, loaded_tokenizer)
    return Pretrained(model, loaded_tokenizer, chosen, name, positions, has_head, pads)


def _check_output(model: Any, model_type: ModelType) -> None:
    name = type(without_adapters(model)).__name__
    if not gives_logits(model):
        loaders = " or ".join(_AUTO_MODELS.values())
        raise ValueError(f"{name} gives no logits for every token: load it with {loaders}")
    if model_type == "causal" and reads_ahead(model):
        raise ValueError(
            f"{name} is used as a causal model, but its logits depend on later tokens: give "
            f"model_type='masked', or load it as a decoder (is_decoder=True)"
        )


def _check_loaded(model: Any, model_id: Any, tokenizer: Any, device: Any, dtype: Any) -> None:
    if not hasattr(model, "config") or not hasattr(model, "get_input_embeddings"):
        raise ValueError(f"model is of type {type(model).__name__}: give a model of transformers, or model_id=")
    if model.get_input_embeddings().weight.device.type == "meta":
        raise ValueError("model= is on the meta device, which has no data: load its weights")
    if model_id is not None:
        raise ValueError(f"model_id={model_id!r} and model= are both given: give one of them")
    if tokenizer is None:
        raise ValueError("model= is given without its tokenizer: also give tokenizer=")
    for name, value in (("device", device), ("dtype", dtype)):
        if value is not None:
            raise ValueError(f"{name}={value!r} does not apply to a loaded model: leave {name} out")


def _load_model(source: Checkpoint, model_type: ModelType | None, device: Any, dtype: Any) -> Any:
    config = load_part(transformers().AutoConfig.from_pretrained, source)
    chosen = _model_type(config.architectures or [], config, model_type)
    loader = getattr(transformers(), _AUTO_MODELS[chosen]).from_pretrained
    options = {} if dtype is None else {"dtype": dtype}
    model, info = load_part(loader, source, config=config, output_loading_info=True, **options)
    missing = sorted(info["missing_keys"])
    if missing:
        raise ValueError(
            f"model_id={source.place!r} lacks {len(missing)} weights of {type(model).__name__}, such as "
            f"{missing[0]}: give a complete checkpoint of this class"
        )
    return model.to(device)


def _tokenizer(given: Any) -> Any:
    if isinstance(given, (str, os.PathLike)):
        loaded = load_part(transformers().AutoTokenizer.from_pretrained, checkpoint(given, "tokenizer"))
        # transformers 5 returns such a tokenizer for a folder without a tokenizer's files.
        if set(loaded.get_vocab()) <= set(loaded.all_special_tokens):
            raise ValueError(f"there is no tokenizer in {os.fspath(given)!r}, only a model: also give tokenizer=")
        return loaded
    if not hasattr(given, "convert_ids_to_tokens"):
        raise ValueError(f"tokenizer is of type {type(given).__name__}: give a tokenizer of transformers, or a folder")
    return given


def _model_type(classes: list[str], config: Any, given: ModelType | None) -> ModelType:
    if config.is_encoder_decoder:
        raise ValueError(f"{', '.join(classes) or 'the model'} is an encoder-decoder: give a causal or a masked model")
    known = [kind for name in classes for ending, kind in _ENDINGS.items() if name.endswith(ending)]
    if given is None and not known:
        raise ValueError(
            f"the class of the model, {', '.join(classes) or 'which its configuration leaves out'}, does not say how "
            f"it was trained: give model_type='causal' or model_type='masked'"
        )
    return given or known[0]


def _positions(model: Any, tokenizer: Any) -> int | None:
    """Return the most tokens that the model reads at once, from its configuration or else its tokenizer, or None."""
    inner = without_adapters(model)
    config = inner.config.get_text_config()
    stated = [getattr(config, name, None) for name in _POSITIONS]
    known = next((number for number in stated if isinstance(number, int) and number > 0), None)
    if known is not None:
        # RoBERTa and related models reserve positions up to the padding's, PEFT's prompts reserve virtual tokens.
        tables = (module for name, module in inner.named_modules() if name.endswith("position_embeddings"))
        paddings = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
        prompt = getattr(model, "active_peft_config", None)
        virtual = getattr(prompt, "num_virtual_tokens", 0) or 0
        return known - max((padding + 1 for padding in paddings), default=0) - virtual
    return tokenizer.model_max_length if tokenizer.model_max_length < _SANE_LENGTH else None


def _name(inner: Any, model_id: Any) -> str:
    given = os.fspath(model_id) if model_id is not None else getattr(inner.config, "_name_or_path", "")
    # Parent folders mean nothing on other machines.
    last = os.path.basename(os.path.normpath(given)) if given else type(inner).__name__
    return f"{last}:{str(inner.dtype).removeprefix('torch.')}"
