import FlowModel
import Localization
import TablesServer

/// A sample of the last page of a sign-in at the API's own address.
///
/// Each sample shows the page for one outcome of the sign-in.
struct DoneSample {
    /// The name of the sample, which is used in file names.
    let name: String
    /// The page as an HTML document.
    let html: String

    /// The samples of all outcomes.
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

    /// Creates a sample that shows the elements with the ids `shows`.
    ///
    /// In a browser, a script shows these elements according to the page's URL. A sample has no such URL, so it leaves
    /// out the script.
    private init(_ name: String, shows: [String], origin: String? = nil, language: LanguageTag = .english) {
        self.name = name
        var html = DoneDocument(PageTexts(language), origin: origin, files: "done").html
            .replacing("<script src=\"done.js\" defer></script>\n", with: "")
        for id in shows { html = html.replacing("id=\"\(id)\" hidden", with: "id=\"\(id)\"") }
        self.html = html
    }
}
