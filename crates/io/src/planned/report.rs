//! A page that says what came of a job.

use std::fmt::Write;

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: String,
    /// What holds.
    pub value: String,
}

impl Fact {
    /// A line.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// The report: a verdict, facts in sections, and the picture of the map that lies beside it.
#[must_use]
pub fn report_html(title: &str, verdict: &str, sections: &[(&str, Vec<Fact>)]) -> Vec<u8> {
    let title = escaped(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>body{{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}}\
         td,th{{text-align:left;padding:.15em 1.5em .15em 0;vertical-align:top}}th{{font-weight:normal;color:#666}}\
         img{{max-width:100%;border:1px solid #ccc}}.verdict{{font-size:1.3em}}</style></head><body>\n\
         <h1>{title}</h1>\n<p class=\"verdict\">{}</p>\n",
        escaped(verdict)
    );
    for (heading, facts) in sections {
        let _ = write!(page, "<h2>{}</h2>\n<table>\n", escaped(heading));
        for Fact { name, value } in facts {
            let _ = writeln!(page, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        page += "</table>\n";
    }
    page += "<h2>Feasible map</h2>\n<p>Points across, rotation up. <a href=\"map.csv\">map.csv</a> has every cell.</p>\n\
             <img src=\"map.png\" alt=\"feasible map\">\n</body></html>\n";
    page.into_bytes()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_the_page() {
        let page = report_html("<b>", "a & b", &[("x", vec![Fact::new("\"n\"", "<script>")])]);
        let page = String::from_utf8(page).expect("text");
        assert!(page.contains("<h1>&lt;b&gt;</h1>") && page.contains("a &amp; b"));
        assert!(page.contains("<th>&quot;n&quot;</th><td>&lt;script&gt;</td>") && !page.contains("<script>"));
    }
}
