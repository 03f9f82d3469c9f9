//! Workflow commands of GitHub Actions, which become annotations on the lines of a pull request.

use nvcre_core::diagnostic::{Diagnostic, Severity};

/// A workflow command; data is percent-escaped as the runner wants it.
pub fn command(finding: &Diagnostic, out: &mut String) {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    };
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut properties = vec![format!("title={}", property(&finding.code.to_string()))];
    if let Some(file) = &finding.file {
        properties.push(format!("file={}", property(file)));
    }
    if let Some(span) = finding.span {
        properties.push(format!("line={}", span.start.line));
        properties.push(format!("col={}", span.start.column));
        properties.push(format!("endLine={}", span.end.line));
        if span.end.line == span.start.line {
            properties.push(format!("endColumn={}", span.end.column.saturating_sub(1).max(span.start.column)));
        }
    }
    let path = finding.path.as_ref().map(|p| format!("{p}: ")).unwrap_or_default();
    let help = finding.help.as_ref().map(|h| format!("\nhelp: {h}")).unwrap_or_default();
    let message = data(&format!("{path}{}{help}", finding.message));
    out.push_str(&format!("::{command} {}::{message}\n", properties.join(",")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use nvcre_core::diagnostic::{Code, Position, Span};

    #[test]
    fn everything_that_the_runner_takes_apart_is_escaped() {
        let at = |line, column| Position { offset: 0, line, column };
        let finding = Diagnostic::at(Code::Syntax, "spec.env[0].value", "100% wrong:\r\nsecond, line")
            .with_help("none")
            .with_file("a:b,c%.yaml")
            .with_span(Span { start: at(3, 5), end: at(3, 9) });
        let mut out = String::new();
        command(&finding, &mut out);
        assert_eq!(
            out,
            "::error title=NV001,file=a%3Ab%2Cc%25.yaml,line=3,col=5,endLine=3,endColumn=8::spec.env[0].value: 100%25 wrong:%0D%0Asecond, line%0Ahelp: none\n"
        );
    }

    #[test]
    fn a_finding_without_a_place_has_only_a_title() {
        let mut out = String::new();
        command(&Diagnostic::new(Code::NoArchitecture, "no GPU"), &mut out);
        assert_eq!(out, "::warning title=NV066::no GPU\n");
    }
}
