import FlowModel
import Localization
import TablesServer

/// The page at which a sign-in at the API's own address ends, as its script shows it for one outcome.
struct DoneSample {
    /// The name, which is a part of file names.
    let name: String
    /// The document.
    let html: String

    /// Every outcome.
    static let all = [
        DoneSample("signed-in-at-api", shows: ["done"]),
        DoneSample("signed-in-at-api-ask", shows: ["done", "ask"], origin: "https://planner.example"),
        DoneSample("signed-in-at-api-failed", shows: ["failed"], language: .german),
        DoneSample("signed-in-at-api-nothing", shows: ["nothing"]),
        DoneSample(name: "signed-in-at-api-over", html: DoneDocument(overIn: PageTexts(.german), files: "done").html),
    ]

    private init(name: String, html: String) {
        self.name = name
        self.html = html
    }

    /// The page with what the script would show; the script itself is left out, since a sample has no address to read.
    private init(_ name: String, shows: [String], origin: String? = nil, language: LanguageTag = .english) {
        self.name = name
        var html = DoneDocument(PageTexts(language), origin: origin, files: "done").html
            .replacing("<script src=\"done.js\" defer></script>\n", with: "")
        for id in shows { html = html.replacing("id=\"\(id)\" hidden", with: "id=\"\(id)\"") }
        self.html = html
    }
}
