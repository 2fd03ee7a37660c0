//! Words, numbers and signs of robot languages, each with its line.

/// What languages differ in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// What begins a comment that lasts to the end of the line.
    pub(super) comment: u8,
    /// Whether capital letters mean the same as small ones; names are then given in small ones.
    pub(super) fold: bool,
    /// Whether the end of a line ends a statement.
    pub(super) lines: bool,
    /// Whether `=` compares; otherwise only `==` does.
    pub(super) equals: bool,
    /// Whether `a : b` chains frames.
    pub(super) chain: bool,
    /// Whether a quote is written twice in a text that has one.
    pub(super) doubled_quotes: bool,
    /// Whether a statement goes on over lines as long as a bracket is open.
    pub(super) joins_lines: bool,
    /// Whether `p[...]` is a pose.
    pub(super) poses: bool,
    /// Whether comparisons are weaker than `AND` and `OR`.
    pub(super) compares_last: bool,
    /// The index of the first element of a list.
    pub(super) first: usize,
}

/// A word of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
    LineEnd,
    End,
}

/// What is wrong, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) line: u32,
    pub(super) what: String,
    /// Whether the text ends too soon, so that there is nothing to go on with.
    pub(super) cut: bool,
}

/// Reads token by token, so that a large file is never held twice.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    rules: Rules,
    /// Brackets that are open, where they join lines.
    open: usize,
}

const SIGNS: [&str; 29] = [
    ":=", "<>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "(", ")", "[", "]", "{", "}", ",", ";", ":",
    "\\", ".", "=", "<", ">", "#", "?", "%", "&", "|",
];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a [u8], rules: Rules) -> Self {
        Self { text, at: 0, line: 1, rules, open: 0 }
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Passes over the rest of the line.
    pub(super) fn skip_line(&mut self) {
        self.open = 0;
        self.skip_text();
    }

    fn skip_text(&mut self) {
        while self.at < self.text.len() && !matches!(self.text[self.at], b'\n' | b'\r') {
            self.at += 1;
        }
    }

    pub(super) fn next(&mut self) -> Result<Token, Wrong> {
        loop {
            let Some(&c) = self.text.get(self.at) else { return Ok(Token::End) };
            match c {
                b'\n' | b'\r' => {
                    self.at += 1 + usize::from(c == b'\r' && self.peek(1) == b'\n');
                    self.line += 1;
                    if self.rules.lines && self.open == 0 {
                        return Ok(Token::LineEnd);
                    }
                }
                _ if c.is_ascii_whitespace() || c == 0 => self.at += 1,
                _ if c == self.rules.comment => self.skip_text(),
                _ => return self.word(c),
            }
        }
    }

    fn word(&mut self, c: u8) -> Result<Token, Wrong> {
        let begin = self.at;
        let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'$';
        if c.is_ascii_digit() || (c == b'.' && self.peek(1).is_ascii_digit()) {
            return self.number(begin);
        }
        if is_letter(c) {
            while is_letter(self.peek(0)) {
                self.at += 1;
            }
            let name = String::from_utf8_lossy(&self.text[begin..self.at]).into_owned();
            return Ok(Token::Name(if self.rules.fold { name.to_ascii_lowercase() } else { name }));
        }
        if c == b'"' || c == b'\'' {
            return self.quoted(c);
        }
        let rest = &self.text[begin..];
        match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
            Some(sign) => {
                self.at += sign.len();
                if self.rules.joins_lines {
                    match *sign {
                        "(" | "[" | "{" => self.open += 1,
                        ")" | "]" | "}" => self.open = self.open.saturating_sub(1),
                        _ => {}
                    }
                }
                Ok(Token::Sign(sign))
            }
            None => {
                self.at += 1;
                let shown = if c.is_ascii_graphic() {
                    format!("'{}'", c as char)
                } else {
                    format!("the byte 0x{c:02X}")
                };
                Err(self.wrong(format!("{shown} is no part of this language")))
            }
        }
    }

    fn number(&mut self, begin: usize) -> Result<Token, Wrong> {
        let digits = |lexer: &mut Self| {
            while lexer.peek(0).is_ascii_digit() {
                lexer.at += 1;
            }
        };
        digits(self);
        if self.peek(0) == b'.' && !self.peek(1).is_ascii_alphabetic() {
            self.at += 1;
            digits(self);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                digits(self);
            }
        }
        let text = String::from_utf8_lossy(&self.text[begin..self.at]).into_owned();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Number(number)),
            _ => Err(self.wrong(format!("'{text}' is no finite number"))),
        }
    }

    /// A text, or a number such as `'B0101'` or `'HFF'`.
    fn quoted(&mut self, quote: u8) -> Result<Token, Wrong> {
        let begin = self.at + 1;
        let (mut end, mut is_second) = (None, false);
        for (k, &c) in self.text[begin..].iter().enumerate() {
            if std::mem::take(&mut is_second) {
                continue;
            }
            is_second = self.rules.doubled_quotes
                && c == quote
                && self.text.get(begin + k + 1).is_some_and(|&next| next == quote);
            if !is_second && (c == quote || c == b'\n' || c == b'\r') {
                end = Some(k);
                break;
            }
        }
        let Some(length) = end.filter(|&end| self.text[begin + end] == quote) else {
            self.skip_line();
            return Err(self.wrong("a text that begins in this line does not end in it".into()));
        };
        let text = &self.text[begin..begin + length];
        self.at = begin + length + 1;
        let mut shown = String::from_utf8_lossy(text).into_owned();
        if self.rules.doubled_quotes {
            let twice = [quote as char, quote as char].iter().collect::<String>();
            shown = shown.replace(&twice, &twice[1..]);
        }
        if quote == b'\'' && !self.rules.poses {
            let radix = match text.first() {
                Some(b'B' | b'b') => 2,
                Some(b'H' | b'h') => 16,
                _ => return Ok(Token::Text(shown)),
            };
            return match u32::from_str_radix(&shown[1..], radix) {
                Ok(number) => Ok(Token::Number(f64::from(number))),
                Err(_) => Err(self.wrong(format!("'{shown}' is no number"))),
            };
        }
        Ok(Token::Text(shown))
    }

    fn wrong(&self, what: String) -> Wrong {
        Wrong { line: self.line, what, cut: false }
    }
}
