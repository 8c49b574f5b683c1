//! Writes Markdown of a memory as HTML that cannot do anything: no HTML of its own, no image, and links only to the
//! web, to mail and into the page.
//!
//! Never fetches anything, and never passes a text on unescaped.

use std::borrow::Cow;
use std::fmt;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::text::is_invisible;

/// A text that is HTML already. Templates print it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for Html {}

impl Html {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a text, escaped. Control characters, and those that cannot be seen or turn the text around, are spelled
    /// out, as on a terminal.
    fn push_text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                '\r' => {}
                c if is_spelled_out(c) => self.0.push_str(&format!("\\u{{{:x}}}", c as u32)),
                c => self.0.push(c),
            }
        }
    }

    /// Appends a space, unless the output is empty.
    fn push_gap(&mut self) {
        self.0.push_str(if self.0.is_empty() { "" } else { " " });
    }

    fn push_tag(&mut self, tag: &str) {
        self.0.push_str(tag);
    }
}

fn is_spelled_out(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || is_invisible(c)
}

/// A text with what cannot be seen spelled out, for a template that escapes it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_spelled_out) {
        return text.into();
    }
    let spell = |c: char| if is_spelled_out(c) { format!("\\u{{{:x}}}", c as u32) } else { c.to_string() };
    text.chars().map(spell).collect::<String>().into()
}

/// Where a link into the memory leads, as an address in the page (`#f3`); `None` if it leads nowhere. Takes the target
/// as written, and whether it is a wiki link.
pub type LinkResolver<'a> = dyn Fn(&str, bool) -> Option<String> + 'a;

/// The address of a link, if a reader may follow it.
fn link_address(target: &str, link_type: LinkType, resolve: &LinkResolver<'_>) -> Option<String> {
    let is_wiki = matches!(link_type, LinkType::WikiLink { .. });
    if link_type == LinkType::Email {
        return Some(format!("mailto:{target}"));
    }
    let lower = target.trim_start().to_ascii_lowercase();
    if ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme)) && !is_wiki {
        Some(target.trim().to_owned())
    } else {
        resolve(target, is_wiki)
    }
}

/// The HTML of a text that stands in a line: a paragraph without its tags.
pub fn inline(markdown: &str, resolve: &LinkResolver<'_>) -> Html {
    render(markdown, resolve, true)
}

/// The HTML of a text with blocks: paragraphs, code, quotes, lists.
pub fn blocks(markdown: &str, resolve: &LinkResolver<'_>) -> Html {
    render(markdown, resolve, false)
}

fn render(markdown: &str, resolve: &LinkResolver<'_>, is_inline: bool) -> Html {
    let mut renderer = Renderer { html: Html::default(), is_inline, open_links: Vec::new(), resolve };
    let options = Options::ENABLE_WIKILINKS | Options::ENABLE_STRIKETHROUGH;
    Parser::new_ext(markdown, options).for_each(|event| renderer.push_event(event));
    renderer.html
}

struct Renderer<'r> {
    html: Html,
    /// Whether blocks get no tags.
    is_inline: bool,
    /// For each open link or image whether it has a tag of its own.
    open_links: Vec<bool>,
    resolve: &'r LinkResolver<'r>,
}

impl Renderer<'_> {
    fn push_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) => self.html.push_text(&text),
            Event::Code(code) => {
                self.html.push_tag("<code>");
                self.html.push_text(&code);
                self.html.push_tag("</code>");
            }
            // Comments of the file are not part of its text: metadata, and notes of other programs.
            Event::Html(html) | Event::InlineHtml(html) if html.trim_start().starts_with("<!--") => {}
            Event::Html(html) | Event::InlineHtml(html) => self.html.push_text(&html),
            Event::SoftBreak => self.html.push_tag(" "),
            Event::HardBreak => self.html.push_tag("<br>"),
            Event::Rule => self.html.push_tag(if self.is_inline { " " } else { "<hr>" }),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.push_text(&text);
            }
            Event::TaskListMarker(done) => self.html.push_text(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Emphasis => self.html.push_tag("<em>"),
            Tag::Strong => self.html.push_tag("<strong>"),
            Tag::Strikethrough => self.html.push_tag("<del>"),
            Tag::Link { link_type, dest_url, .. } => {
                let address = link_address(dest_url, *link_type, self.resolve);
                self.open_links.push(address.is_some());
                if let Some(address) = address {
                    self.html.push_tag("<a href=\"");
                    self.html.push_text(&address);
                    let is_inside = address.starts_with('#');
                    self.html.push_tag(if is_inside { "\">" } else { "\" rel=\"noopener noreferrer\">" });
                }
            }
            // Only its text: a picture would be fetched.
            Tag::Image { .. } => self.open_links.push(false),
            Tag::CodeBlock(_) => self.html.push_tag(if self.is_inline { "<code>" } else { "<pre><code>" }),
            _ if self.is_inline => self.html.push_gap(),
            Tag::Paragraph => self.html.push_tag("<p>"),
            Tag::Heading { .. } => self.html.push_tag("<p><strong>"),
            Tag::BlockQuote(_) => self.html.push_tag("<blockquote>"),
            Tag::List(None) => self.html.push_tag("<ul>"),
            Tag::List(Some(_)) => self.html.push_tag("<ol>"),
            Tag::Item => self.html.push_tag("<li>"),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.html.push_tag("</em>"),
            TagEnd::Strong => self.html.push_tag("</strong>"),
            TagEnd::Strikethrough => self.html.push_tag("</del>"),
            TagEnd::Link | TagEnd::Image => {
                let has_tag = self.open_links.pop().unwrap_or(false);
                self.html.push_tag(if has_tag { "</a>" } else { "" });
            }
            TagEnd::CodeBlock => self.html.push_tag(if self.is_inline { "</code>" } else { "</code></pre>" }),
            _ if self.is_inline => {}
            TagEnd::Paragraph => self.html.push_tag("</p>"),
            TagEnd::Heading(_) => self.html.push_tag("</strong></p>"),
            TagEnd::BlockQuote(_) => self.html.push_tag("</blockquote>"),
            TagEnd::List(false) => self.html.push_tag("</ul>"),
            TagEnd::List(true) => self.html.push_tag("</ol>"),
            TagEnd::Item => self.html.push_tag("</li>"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, expected: &str) {
        let resolve = |target: &str, is_wiki: bool| (is_wiki && target == "user").then(|| "#f1".to_owned());
        assert_eq!(inline(markdown, &resolve).to_string(), expected, "{markdown:?}");
    }

    #[test]
    fn a_text_keeps_its_marks_and_loses_its_powers() {
        check("Uses **tabs** in `a<b>` *now*", "Uses <strong>tabs</strong> in <code>a&lt;b&gt;</code> <em>now</em>");
        check("<script>alert(1)</script> & \"x\"", "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;");
        check("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;");
        check("![a cat](https://example.com/cat.png)", "a cat");
        check("a\u{202e}b\u{7}", "a\\u{202e}b\\u{7}");
    }

    #[test]
    fn links_lead_to_the_web_to_mail_and_into_the_page() {
        let web = "<a href=\"https://example.com/?a=1&amp;b=2\" rel=\"noopener noreferrer\">site</a>";
        check("[site](https://example.com/?a=1&b=2)", web);
        check(
            "<ana@example.com>",
            "<a href=\"mailto:ana@example.com\" rel=\"noopener noreferrer\">ana@example.com</a>",
        );
        check("[[user]] and [[nobody]]", "<a href=\"#f1\">user</a> and nobody");
        for target in ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x.y"]
        {
            check(&format!("[x]({target})"), "x");
        }
        check("[x](http://a\"onclick=b)", "<a href=\"http://a&quot;onclick=b\" rel=\"noopener noreferrer\">x</a>");
    }

    #[test]
    fn blocks_keep_their_form() {
        let none = |_: &str, _: bool| None;
        let html = |text: &str| blocks(text, &none).to_string();
        assert_eq!(html("a\n\n```rust\nlet <x>;\n```\n"), "<p>a</p><pre><code>let &lt;x&gt;;\n</code></pre>");
        assert_eq!(html("<!-- mem imp=7 -->\n"), "");
        assert_eq!(html("> q\n\n1. one\n"), "<blockquote><p>q</p></blockquote><ol><li>one</li></ol>");
        assert_eq!(html("# not a heading\n"), "<p><strong>not a heading</strong></p>");
    }
}
