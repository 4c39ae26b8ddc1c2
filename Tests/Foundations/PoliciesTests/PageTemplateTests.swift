import Foundation
import Policies
import Testing

@Suite(.timeLimit(.minutes(1))) struct PageTemplateTests {
    private func template(_ html: String) throws -> PageTemplate {
        try PageTemplate(html: html) { name throws(PageFile.Refusal) in
            guard name == "a.css" else { throw .missing }
            return try PageFile(name: name, bytes: Data("p{color:red}".utf8))
        }
    }

    @Test("a template is split at the placeholder of the card, and its style sheet is read") func parts() throws {
        let template = try template(
            "<link rel=\"stylesheet\" href=\"a.css\"><header>Nordlicht</header><div id=\"api\"></div><p>After</p>"
        )
        #expect(template.before == "<header>Nordlicht</header>" && template.after == "<p>After</p>")
        #expect(template.sheet?.kind == .css)
    }

    @Test(
        "a template without exactly one placeholder is rejected",
        arguments: [
            "", "<p>No place</p>", "<div id=\"api\">text</div>", "<div id=\"api\"></div><div id=\"api\"></div>",
            "<div id=\"api\"></div><p id=\"api\"></p>",
        ]
    )
    func place(_ html: String) {
        #expect(throws: PageTemplate.Refusal.place) { try template(html) }
    }

    @Test(
        "a template with active content, form controls, inline styles or external references is rejected",
        arguments: [
            ("<script>", "<script"), ("<FORM>", "<form"), ("<p onclick='x'>", "onclick"), ("<p style='x'>", " style="),
            ("<iframe>", "<iframe"), ("<meta http-equiv=refresh>", "<meta"), ("<base href=x>", "<base"),
            ("<input>", "<input"), ("<a href='https://a.example/'>", "https://a"), ("<html>", "<html"),
            ("<link rel=\"preload\" href=\"x\">", "<link"), ("<img alt='' src=a>", "<img"), ("<h1>", "<h1"),
        ]
    )
    func unsafe(_ html: String, _ found: String) {
        #expect(throws: PageTemplate.Refusal.unsafe(found)) { try template(html + "<div id=\"api\"></div>") }
    }

    @Test("a template's style sheet must exist and be a style sheet") func sheets() {
        let missing = "<link rel=\"stylesheet\" href=\"b.css\"><div id=\"api\"></div>"
        #expect(throws: PageTemplate.Refusal.file("b.css", .missing)) { try template(missing) }
    }

    @Test("a template that is too large is rejected") func size() {
        #expect(throws: PageTemplate.Refusal.tooBig(16_000)) { try template(String(repeating: "a", count: 16_001)) }
    }
}
