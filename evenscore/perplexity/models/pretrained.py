"""A pretrained model with its tokenizer, loaded once."""

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
    """Whether the logits are what the head makes of the base model's last hidden states, bit by bit, on a probe.

    Not so, for one, where PEFT's prompt tuning puts tokens of its own before the text.
    """
    ids, mask = _probe(model)
    mask[1, 3:] = 0
    inner = without_adapters(model)
    try:
        output = base_output(inner, ids, mask)
        by_head = head_logits(inner, output, output.last_hidden_state)
    except (torch().OutOfMemoryError, MemoryError):
        raise
    # Architectures fail in their own ways with what they did not expect.
    except Exception:
        return False
    return bool(torch().equal(by_head, model(input_ids=ids, attention_mask=mask).logits))


def gives_logits(model: Model) -> bool:
    """Whether the model says something of every token, as a body without a head, or a classifier, does not."""
    ids, mask = _probe(model)
    try:
        logits = model(input_ids=ids, attention_mask=mask).logits
    # A body has no logits; classifiers fail in their own ways.
    except (AttributeError, ValueError):
        return False
    return bool(logits.dim() == 3 and logits.shape[-1] > 2)


def ignores_padding(model: Model) -> bool:
    """Whether what is said of a text is the same with padding after it; where bases mix all positions it is not."""
    ids, mask = _probe(model)
    mask[:, 3:] = 0
    alone, padded = model(input_ids=ids[:, :3]).logits, model(input_ids=ids, attention_mask=mask).logits
    # Prompt tuning has logits of its own tokens first.
    before = padded.shape[1] - ids.shape[1]
    return bool((alone[:, before:] - padded[:, before : before + 3]).abs().max() <= _noise(alone))


def reads_ahead(model: Model) -> bool:
    """Whether the logits at a position depend on what stands after it."""
    ids, mask = _probe(model)
    other = ids.clone()
    other[:, -1] = 0
    before, after = (model(input_ids=each, attention_mask=mask).logits[:, :-1] for each in (ids, other))
    return bool((before - after).abs().max() > _noise(before))


def _noise(logits: Tensor) -> Tensor:
    """How much logits may differ where kernels add up in another order; what a model sees moves them by more."""
    return 256 * torch().finfo(logits.dtype).eps * logits.abs().max()


def _probe(model: Model) -> tuple[Tensor, Tensor]:
    """Ids of two rows of five tokens, with a mask that shows all of them."""
    device = model.get_input_embeddings().weight.device
    ids = torch().arange(1, 11, device=device).reshape(2, 5) % vocabulary_size(model)
    return ids, torch().ones_like(ids)


def as_device(name: Any) -> Any:
    """The torch.device of that name: "cpu", "cuda", "cuda:1", "mps" or "gpu", which is cuda.

    None is cuda where there is one, else the cpu.  Raises ValueError for a device that is unknown or not there.
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
        raise ValueError(f"device={name!r} is not available here: there are {count} of type {device.type}")
    return device


def as_dtype(name: Any) -> Any:
    """The torch.dtype of that name, such as "float32" or "bfloat16"; None stays None, for the checkpoint's own.

    Raises ValueError for any other name, and for types that are no floating-point numbers.
    """
    if name is None:
        return None
    dtype = getattr(torch(), str(name).removeprefix("torch."), None)
    if not isinstance(dtype, torch().dtype) or not dtype.is_floating_point:
        raise ValueError(f"dtype={name!r}: choose 'float32', 'bfloat16', 'float16' or another floating-point type")
    return dtype


class Checkpoint(NamedTuple):
    """A folder of this machine, or a name on the hub.

    asked_as: the name of the argument that gave it, for messages.
    """

    place: str
    is_folder: bool
    asked_as: str


def checkpoint(given: Any, asked_as: str) -> Checkpoint:
    """The checkpoint that a string or path means.

    Raises ValueError for what looks like a path where no folder is: that is never looked for on the hub.
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
            f"{asked_as}={str(given)!r}: looked for the folder {folder.absolute()}, which {found}; as this is a path, "
            f"the hub was not asked"
        )
    return Checkpoint(name, False, asked_as)


def load_part(loader: Callable[..., Any], source: Checkpoint, **options: Any) -> Any:
    """What a from_pretrained of transformers makes of a checkpoint.

    A folder is read without asking the hub.  A name is looked for in the local cache, then on the hub, unless
    HF_HUB_OFFLINE says not to.  Raises one ValueError that lists every place with what went wrong there.
    """
    is_offline = bool(huggingface_hub().constants.HF_HUB_OFFLINE)
    if source.is_folder:
        failures, tries = [], {f"the folder {source.place}": True}
    else:
        failures = [f"the folder {Path(source.place).absolute()}: does not exist"]
        tries = {"the local cache": True} if is_offline else {"the local cache": True, "the hub": False}
    for place, local_files_only in tries.items():
        try:
            # Whoever trusts a checkpoint's own code can load it and give the model.
            return loader(source.place, local_files_only=local_files_only, trust_remote_code=False, **options)
        # Parsers, the hub and every architecture raise what they like.
        except Exception as error:
            failures.append(f"{place}: {type(error).__name__}: {_first_line(error)}")
    if is_offline and not source.is_folder:
        failures.append("the hub: not asked, for HF_HUB_OFFLINE is set")
    tried = "".join(f"\n  {failure}" for failure in failures)
    raise ValueError(f"{source.asked_as}={source.place!r} cannot be loaded; what was tried:{tried}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


_CONFIGURATION = "adapter_config.json"
_TOKENIZER_FILES = ("tokenizer_config.json", "tokenizer.json")


def adapted_by(source: Checkpoint) -> Checkpoint | None:
    """The model that the adapter in a folder is for; None for a folder, or a name, that is a model's own.

    Raises ValueError if the adapter does not say, or names a folder that is not there.
    """
    folder = Path(source.place)
    if not source.is_folder or (folder / "config.json").exists() or not (folder / _CONFIGURATION).exists():
        return None
    said = json.loads((folder / _CONFIGURATION).read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not said:
        raise ValueError(
            f"model_id={source.place!r} is an adapter that does not say of which model: load both with peft, and give "
            f"model= and tokenizer="
        )
    return checkpoint(said, f"the base model that the adapter model_id={source.place!r} names")


def with_adapter(model: Model, source: Checkpoint) -> Model:
    """The model with the adapter of a folder in its layers.

    Raises ImportError without peft; ValueError for an adapter that is another model's, or not whole.
    """
    load = peft().PeftModel.from_pretrained
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Found missing adapter keys")
            return load(model, source.place)
    # PEFT raises, and warns of, what it likes.
    except Exception as error:
        message = f"the adapter does not fit {type(model).__name__}: {_first_line(error)[:200]}"
        raise ValueError(f"model_id={source.place!r}: {message}") from error


def adapters_name(model: Model) -> str:
    """What tells adapted models apart: "+name@digest of its weights" of every adapter that is on; "" without one."""
    # PEFT's layers have a flag of that name, transformers' models a method.
    if any(getattr(module, "disable_adapters", False) is True for module in model.modules()):
        return ""
    if hasattr(model, "get_base_model"):
        states = {name: peft().get_peft_model_state_dict(model, adapter_name=name) for name in model.active_adapters}
    elif getattr(model, "_hf_peft_config_loaded", False):
        states = {name: model.get_adapter_state_dict(name) for name in model.active_adapters()}
    else:
        return ""
    return "".join(f"+{name}@{_digest(state)}" for name, state in states.items())


def _digest(state: Mapping[str, Any]) -> str:
    digest = hashlib.sha256()
    # The same weights in PEFT's model and in transformers' own have names that begin differently.
    for name, weight in sorted((name.removeprefix("base_model.model."), weight) for name, weight in state.items()):
        digest.update(name.encode() + weight.detach().cpu().contiguous().view(torch().uint8).numpy().tobytes())
    return digest.hexdigest()[:8]


ModelType = Literal["causal", "masked"]

_AUTO_MODELS = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM"}
_ENDINGS: dict[str, ModelType] = {"ForCausalLM": "causal", "LMHeadModel": "causal", "ForMaskedLM": "masked"}
# The names that configurations have for the number of positions.
_POSITIONS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len")
# Tokenizers that know of no limit say 10 ** 30.
_SANE_LENGTH = 10**9


@dataclasses.dataclass(frozen=True)
class Pretrained:
    """What stays loaded between calls.

    model, tokenizer: as transformers, or PEFT, has them.
    model_type: "causal" or "masked".
    name: of the model, without a folder of this machine, with its number type.
    positions: how many tokens it can read at once; None if nothing says.
    has_head: whether its head can be applied to single positions.
    ignores_padding: whether texts of other lengths can stand in one batch.
    warned: what has been warned of; no number depends on it.
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
        """Warn, unless of this kind it was done already: as long as the model is loaded, it would be said again."""
        if kind not in self.warned:
            self.warned.add(kind)
            warnings.warn(message, stacklevel=2)


# The options that it takes.
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
    """Load a model and its tokenizer, or take those that are loaded already; nothing of the latter is changed.

    The arguments are the options of these names.
    model_id: a folder, which may be that of an adapter of PEFT alone, or a name on the hub.
    tokenizer: a loaded one, a folder, a name on the hub; None for that of model_id.
    model_type: None goes by the name of its class.
    Raises ValueError for what is missing, doubtful or not there; ImportError where torch or transformers is missing.
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
            f"{name} is taken for a causal model, but what it says of a token depends on later tokens: give "
            f"model_type='masked', or load it as a decoder (is_decoder=True)"
        )


def _check_loaded(model: Any, model_id: Any, tokenizer: Any, device: Any, dtype: Any) -> None:
    if not hasattr(model, "config") or not hasattr(model, "get_input_embeddings"):
        raise ValueError(f"model is of type {type(model).__name__}: give a model of transformers, or model_id=")
    if model.get_input_embeddings().weight.device.type == "meta":
        raise ValueError("model= is on the meta device, which holds no numbers: load its weights")
    if model_id is not None:
        raise ValueError(f"model_id={model_id!r} and model= are both given: give one of them")
    if tokenizer is None:
        raise ValueError("model= is given without its tokenizer: give tokenizer=, too")
    for name, value in (("device", device), ("dtype", dtype)):
        if value is not None:
            raise ValueError(f"{name}={value!r}: a loaded model is left where and as it is; leave {name} out")


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
            f"{missing[0]}: it was saved as another model, or not whole"
        )
    return model.to(device)


def _tokenizer(given: Any) -> Any:
    if isinstance(given, (str, os.PathLike)):
        loaded = load_part(transformers().AutoTokenizer.from_pretrained, checkpoint(given, "tokenizer"))
        # What transformers 5 makes of a folder without a tokenizer's files.
        if set(loaded.get_vocab()) <= set(loaded.all_special_tokens):
            raise ValueError(f"there is no tokenizer in {os.fspath(given)!r}, only a model: give tokenizer=, too")
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
    """How many tokens the model reads at once at most, by its configuration, else by the tokenizer; None if unknown."""
    inner = without_adapters(model)
    config = inner.config.get_text_config()
    stated = [getattr(config, name, None) for name in _POSITIONS]
    known = next((number for number in stated if isinstance(number, int) and number > 0), None)
    if known is not None:
        # Some are no text's: those up to the padding's in RoBERTa's kin, virtual tokens of PEFT's prompts.
        tables = (module for name, module in inner.named_modules() if name.endswith("position_embeddings"))
        paddings = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
        prompt = getattr(model, "active_peft_config", None)
        virtual = getattr(prompt, "num_virtual_tokens", 0) or 0
        return known - max((padding + 1 for padding in paddings), default=0) - virtual
    return tokenizer.model_max_length if tokenizer.model_max_length < _SANE_LENGTH else None


def _name(inner: Any, model_id: Any) -> str:
    given = os.fspath(model_id) if model_id is not None else getattr(inner.config, "_name_or_path", "")
    # A folder of this machine says nothing elsewhere.
    last = os.path.basename(os.path.normpath(given)) if given else type(inner).__name__
    return f"{last}:{str(inner.dtype).removeprefix('torch.')}"
