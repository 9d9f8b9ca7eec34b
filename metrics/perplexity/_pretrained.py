"""A pretrained model with its tokenizer, loaded once."""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import Any, Literal

from ._adapters import adapted_by, tokenizer_place, with_adapter
from ._checkpoints import Checkpoint, checkpoint, load_part
from ._forward_pass import evaluation
from ._model_packages import transformers
from ._output_head import without_adapters
from ._probes import gives_logits, has_separate_head, ignores_padding, reads_ahead
from ._torch_options import as_device, as_dtype

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

    model_id: a local folder, or a name on the hub, which is looked for in the local cache first; a folder of an adapter
      of PEFT brings the model that it names.
    model: a loaded model, then with tokenizer, without device and dtype.
    tokenizer: a loaded tokenizer, a folder, a name on the hub; None for that of model_id.
    model_type: "causal" or "masked"; None goes by the name of its class.
    device: "cpu", "cuda", "cuda:1", "mps", "gpu"; None is cuda where there is one, else the cpu.
    dtype: such as "float32", "bfloat16", "float16"; None leaves it to transformers.

    Raises ValueError for what is missing, doubtful or not there; ImportError where torch or transformers is missing.
    """
    if model is None:
        source = checkpoint(model_id, "model_id")
        base = adapted_by(source)
        model = _load_model(base or source, model_type, as_device(device), as_dtype(dtype))
        if tokenizer is None:
            tokenizer = model_id if base is None else tokenizer_place(source, base)
        if base is not None:
            model, model_id = with_adapter(model, source), base.place
    else:
        _check_loaded(model, model_id, tokenizer, device, dtype)
    inner = without_adapters(model)
    chosen = _model_type([type(inner).__name__], inner.config, model_type)
    loaded_tokenizer = _tokenizer(tokenizer)
    with evaluation(model):
        _check_logits(model)
        has_head, pads = has_separate_head(model), ignores_padding(model)
        _check_direction(model, chosen)
    name, positions = _name(inner, model_id), _positions(model, loaded_tokenizer)
    return Pretrained(model, loaded_tokenizer, chosen, name, positions, has_head, pads)


def _check_logits(model: Any) -> None:
    if not gives_logits(model):
        raise ValueError(
            f"{type(without_adapters(model)).__name__} gives no logits for every token: load it with "
            f"AutoModelForCausalLM or AutoModelForMaskedLM"
        )


def _check_direction(model: Any, model_type: ModelType) -> None:
    if model_type == "causal" and reads_ahead(model):
        raise ValueError(
            f"{type(without_adapters(model)).__name__} is taken for a causal model, but what it says of a token "
            f"depends on later tokens: give model_type='masked', or load it as a decoder (is_decoder=True)"
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
    if given is not None:
        return given
    for name in classes:
        for ending, known in _ENDINGS.items():
            if name.endswith(ending):
                return known
    raise ValueError(
        f"the class of the model, {', '.join(classes) or 'which its configuration leaves out'}, does not say how it "
        f"was trained: give model_type='causal' or model_type='masked'"
    )


def _positions(model: Any, tokenizer: Any) -> int | None:
    """How many tokens the model reads at once at most, by its configuration, else by the tokenizer; None if unknown."""
    inner = without_adapters(model)
    config = inner.config.get_text_config()
    stated = [getattr(config, name, None) for name in _POSITIONS]
    known = next((number for number in stated if isinstance(number, int) and number > 0), None)
    if known is not None:
        return known - _reserved(model, inner)
    return tokenizer.model_max_length if tokenizer.model_max_length < _SANE_LENGTH else None


def _reserved(model: Any, inner: Any) -> int:
    """Positions that are no text's: those up to the padding's in RoBERTa's kin, virtual tokens of PEFT's prompts."""
    tables = (module for name, module in inner.named_modules() if name.endswith("position_embeddings"))
    paddings = [table.padding_idx for table in tables if getattr(table, "padding_idx", None) is not None]
    prompt = getattr(model, "active_peft_config", None)
    return max((padding + 1 for padding in paddings), default=0) + (getattr(prompt, "num_virtual_tokens", 0) or 0)


def _name(inner: Any, model_id: Any) -> str:
    given = os.fspath(model_id) if model_id is not None else getattr(inner.config, "_name_or_path", "")
    # A folder of this machine says nothing elsewhere.
    last = os.path.basename(os.path.normpath(given)) if given else type(inner).__name__
    return f"{last}:{str(inner.dtype).removeprefix('torch.')}"
