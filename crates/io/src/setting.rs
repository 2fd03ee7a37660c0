//! Settings that messages name. Libraries know no command line: a message says `⟦fine⟧` or `⟦blend-margin=METRES⟧`, and each face renders that in its own
//! words, as `--blend-margin METRES` or `blend_margin=METRES`.

use std::borrow::Cow;

/// Whose words settings are rendered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The command: `--blend parabola`.
    Command,
    /// Python: `blend='parabola'`; without double quotes, so that a whole JSON text can be rendered.
    Python,
    /// Nobody's: `blend = parabola`.
    Plain,
}

const OPEN: char = '⟦';
const CLOSE: char = '⟧';

impl Face {
    /// A text with its settings in the words of this face.
    #[must_use]
    pub fn rendered(self, text: &str) -> Cow<'_, str> {
        if !text.contains(OPEN) {
            return Cow::Borrowed(text);
        }
        let mut rendered = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            rendered.push_str(before);
            // What is not closed is somebody's text.
            let Some((setting, after)) = after.split_once(CLOSE) else {
                rendered.push(OPEN);
                rest = after;
                continue;
            };
            rendered.push_str(&self.setting(setting));
            rest = after;
        }
        rendered.push_str(rest);
        Cow::Owned(rendered)
    }

    fn setting(self, setting: &str) -> String {
        let (name, value) = match setting.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (setting, None),
        };
        match (self, value) {
            (Self::Command, None) => format!("--{name}"),
            // What begins with a sign would be taken for an option.
            (Self::Command, Some(value)) if value.starts_with(['+', '-']) => format!("--{name}={value}"),
            (Self::Command, Some(value)) => format!("--{name} {value}"),
            (Self::Python, None) => name.replace('-', "_"),
            // Capitals stand for what the user has to fill in.
            (Self::Python, Some(value)) if value.chars().all(|c| c.is_uppercase() || c == '_') => {
                format!("{}={value}", name.replace('-', "_"))
            }
            (Self::Python, Some(value)) => format!("{}='{value}'", name.replace('-', "_")),
            (Self::Plain, None) => name.replace('-', " "),
            (Self::Plain, Some(value)) => format!("{} = {value}", name.replace('-', " ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_has_its_own_words() {
        let text =
            "a corner: ⟦blend-margin=METRES⟧, ⟦blend=parabola⟧, ⟦branch=+-+⟧ or ⟦fine⟧; ⟦ is no setting";
        assert_eq!(
            Face::Command.rendered(text),
            "a corner: --blend-margin METRES, --blend parabola, --branch=+-+ or --fine; ⟦ is no setting"
        );
        assert_eq!(
            Face::Python.rendered(text),
            "a corner: blend_margin=METRES, blend='parabola', branch='+-+' or fine; ⟦ is no setting"
        );
        assert_eq!(
            Face::Plain.rendered(text),
            "a corner: blend margin = METRES, blend = parabola, branch = +-+ or fine; ⟦ is no setting"
        );
        assert!(matches!(Face::Command.rendered("nothing"), Cow::Borrowed(_)));
    }
}
