//! `posenc export --onnx`: what the file reads, what posenc-torch cannot write, and how it is called.

use anyhow::Context as _;
use clap::ValueEnum as _;
use config::RunConfig;
use encodings::absolute::VectorTable;
use encodings::{EncodingConfig, rope};
use games::{GameKind, InputName, MovesName, Vocabulary};
use models::cls_parts::Pieces;
use models::{ChessformerConfig, Edge, EmbeddingConfig, HeadName, ModelConfig, ResnetConfig, ResnetPolicy};
use std::path::Path;
use std::process::Command;

/// The environment variable that names the Python of posenc-torch.
const TORCH_PYTHON: &str = "POSENC_TORCH_PYTHON";

const REMEDY: &str = "install posenc-torch with `pip install 'labs/torch[onnx]'`, and name its Python in";

/// What network.onnx reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Form {
    /// dlshogi's if the network fits; else planes for convolutions, tokens for a chessformer; the packed row if these do not fit.
    Usual,
    /// input1 and input2 as dlshogi gives them; the outputs are output_policy and output_value.
    Dlshogi,
    /// The channels of the squares as boards, f32: batch, channels, ranks, files.
    Planes,
    /// The channels of the tokens, f32: batch, tokens, channels.
    Tokens,
    /// The packed row, u8: batch, row.
    Packed,
}

impl Form {
    /// The form that a cell's file gets.
    pub(super) fn of(self, config: &RunConfig) -> anyhow::Result<Self> {
        if let Some(why) = refusal(config) {
            anyhow::bail!("network.onnx cannot be written: {why}");
        }
        if self == Self::Usual {
            let channels =
                if matches!(config.model, ModelConfig::Chessformer(_)) { Self::Tokens } else { Self::Planes };
            let fits = |form: &Self| unsupported_reason(config, *form).is_none();
            return Ok([Self::Dlshogi, channels].into_iter().find(fits).unwrap_or(Self::Packed));
        }
        match unsupported_reason(config, self) {
            None => Ok(self),
            Some(why) => anyhow::bail!("network.onnx cannot have the form {}: {why}", self.name()),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().expect("every form has a name").get_name().to_owned()
    }

    /// What there is to say of a file of this form.
    pub(super) fn described(self, config: &RunConfig) -> String {
        if self == Self::Dlshogi {
            let heads = config.model.outputs().heads();
            let value = if heads.contains(&HeadName::WinRate) { HeadName::WinRate } else { HeadName::Result };
            let rest = heads.into_iter().filter(|&head| head != HeadName::Policy && head != value);
            let left_out: Vec<&str> = rest.map(HeadName::name).collect();
            let without =
                if left_out.is_empty() { String::new() } else { format!(", without {}", left_out.join(", ")) };
            return format!("network.onnx reads input1 and input2 as dlshogi gives them{without}\n");
        }
        let shogi =
            (config.input == InputName::Dlshogi62_57).then(|| unsupported_reason(config, Self::Dlshogi)).flatten();
        let shogi = shogi.map_or_else(String::new, |why| format!("; it has not dlshogi's form, because {why}"));
        format!("network.onnx reads {}{shogi}\n", self.name())
    }

    /// Has posenc-torch write the network of an export.
    pub(super) fn write(self, folder: &Path) -> anyhow::Result<()> {
        let python = std::env::var_os(TORCH_PYTHON).unwrap_or_else(|| "python3".into());
        let (name, out) = (python.to_string_lossy(), folder.join("network.onnx"));
        let mut command = Command::new(&python);
        // The package that is installed, and not a file of this name in the current folder.
        command
            .env("PYTHONSAFEPATH", "1")
            .args(["-m", "posenc_torch", "onnx"])
            .arg(folder)
            .arg("--out")
            .arg(&out)
            .args(["--form", &self.name()]);
        let output = command.output().with_context(|| {
            let written = folder.display();
            format!("{written} is written, but {name} cannot be started for network.onnx: {REMEDY} {TORCH_PYTHON}")
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().last().unwrap_or("nothing");
        let lacks = ["No module named", "is missing"].iter().any(|words| said.contains(words));
        let remedy = if lacks { format!("; {REMEDY} {TORCH_PYTHON}") } else { String::new() };
        anyhow::ensure!(
            output.status.success(),
            "{} is written, but not network.onnx; {name} says: {said}{remedy}",
            folder.display()
        );
        Ok(())
    }
}

/// Why posenc-torch does not have a network.
fn refusal(config: &RunConfig) -> Option<String> {
    if !matches!(config.game, GameKind::Chess | GameKind::Shogi) {
        return Some(format!("posenc-torch has no board of {}", config.game.name()));
    }
    match &config.model {
        ModelConfig::Decoder(_) => {
            Some("a decoder reads the plies of a game one after the other, not one position".to_owned())
        }
        ModelConfig::Resnet(network) => without_planes(config, network),
        ModelConfig::ResnetTransformer(network) => without_planes(config, &network.resnet),
        ModelConfig::Chessformer(network) => of_chessformer(network).map(str::to_owned).or_else(|| of_tokens(config)),
    }
}

fn without_planes(config: &RunConfig, network: &ResnetConfig) -> Option<String> {
    let reads_planes = network.outputs.policy.is_some() && !matches!(network.policy, ResnetPolicy::Dense { .. });
    let lacks = reads_planes && matches!(config.spec().moves, Vocabulary::List(_));
    lacks.then(|| format!("posenc-torch has no planes of the moves {}", config.moves.name()))
}

fn of_chessformer(network: &ChessformerConfig) -> Option<&'static str> {
    if network.refinement.is_some() {
        return Some("refinement asks for the legal moves between its two passes, which a network alone does not know");
    }
    if network.edge == Edge::Hidden {
        return Some("posenc-torch has no squares outside the board (edge: hidden)");
    }
    let apart = matches!(&network.embedding, EmbeddingConfig::Parts(parts) if parts.pieces == Pieces::Apart);
    apart.then_some("posenc-torch has no squares of two tokens (pieces: apart)")
}

fn of_tokens(config: &RunConfig) -> Option<String> {
    let placed = config.encoding.iter().find(|encoding| needs_squares(encoding))?;
    (config.input == InputName::Tokens68).then(|| {
        let name = placed.info().name;
        format!("in tokens_68 a token stands before the squares, and posenc-torch's {name} does not allow for it")
    })
}

/// Whether posenc-torch's form of an encoding asks where in the sequence the squares lie.
fn needs_squares(encoding: &EncodingConfig) -> bool {
    match encoding {
        EncodingConfig::None(_) | EncodingConfig::Smolgen(_) | EncodingConfig::DynamicRelative(_) => false,
        EncodingConfig::Rope(options) => {
            options.layout != rope::Layout::Flat1d || options.aux == Some(rope::Aux::Unrotated)
        }
        EncodingConfig::Absolute(options) => options.table != VectorTable::Learned,
        _ => true,
    }
}

/// Why a network's file cannot have a form.
fn unsupported_reason(config: &RunConfig, form: Form) -> Option<String> {
    let (heads, input, moves) = (config.model.outputs().heads(), config.spec().input, config.moves);
    let has = |head| heads.contains(&head);
    let reads_rows = matches!(&config.model, ModelConfig::Chessformer(network)
        if matches!(network.embedding, EmbeddingConfig::Parts(_)));
    let name = config.input.name();
    match form {
        Form::Dlshogi if config.input != InputName::Dlshogi62_57 => {
            Some(format!("its input is {name}, and dlshogi gives dlshogi_62_57"))
        }
        Form::Dlshogi if moves == MovesName::FromTo => {
            Some("from_to names the square that a move leaves, and dlshogi's labels its direction".to_owned())
        }
        Form::Dlshogi if !(has(HeadName::Policy) && (has(HeadName::WinRate) || has(HeadName::Result))) => {
            Some("dlshogi reads a policy and a win rate, and this network lacks one of them".to_owned())
        }
        Form::Planes | Form::Tokens if reads_rows => Some("embedding: parts reads the packed row".to_owned()),
        Form::Planes if input.tokens() > input.geometry.squares() => {
            Some(format!("{name} has tokens that are no squares"))
        }
        _ => None,
    }
}
