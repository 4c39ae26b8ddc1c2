import FlowModel
public import Localization

/// The document of the page at which a browser's sign-in ends; its script shows how it ended, by the address.
public struct DoneDocument: Sendable {
    private let texts: PageTexts
    private let origin: String?
    private let files: String
    /// True if the browser has not just come back from a sign-in, so that the address says nothing.
    private let isOver: Bool

    /// The document of one browser.
    ///
    /// - Parameters:
    ///   - texts: The sentences.
    ///   - origin: The origin of the page that may be told; nil for none.
    ///   - files: The address of the script and the style sheet without `.js` and `.css`.
    public init(_ texts: PageTexts, origin: String?, files: String) {
        self.texts = texts
        self.origin = origin
        self.files = files
        isOver = false
    }

    /// The document for a browser that has not just come back from a sign-in; it has no script, and tells no page.
    public init(overIn texts: PageTexts, files: String) {
        self.texts = texts
        self.files = files
        origin = nil
        isOver = true
    }

    /// The style sheet.
    public static var style: String { String(decoding: PackageResources.done_css, as: UTF8.self) }

    /// The script that hands the answer to the window that opened this one.
    public static var script: String { String(decoding: PackageResources.done_js, as: UTF8.self) }

    /// The document as HTML.
    public var html: String {
        """
        <!doctype html>
        <html lang="\(texts.language.rawValue)">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(text("signInDone.title"))</title>
        <link rel="stylesheet" href="\(files).css">
        \(isOver ? "" : script)</head>
        <body>
        <main>
        <h1>\(text("signInDone.title"))</h1>
        \(isOver ? over : outcome)</main>
        </body>
        </html>

        """
    }

    private var script: String {
        """
        <script src="\(files).js" defer></script>

        """
    }

    private var over: String {
        """
        <p>\(text("signInDone.over"))</p>

        """
    }

    /// The ways to end, of which the script shows one.
    private var outcome: String {
        """
        <p id="done" hidden>\(text("signInDone.done"))</p>
        <p id="failed" hidden>\(text("signInDone.failed"))</p>
        <p id="nothing" hidden>\(text("signInDone.nothing"))</p>
        \(origin.map(ask) ?? "")
        """
    }

    /// The question whether a page may be told.
    private func ask(_ origin: String) -> String {
        """
        <div id="ask" hidden>
        <p>\(text("signInDone.ask", ["origin": origin]))</p>
        <button id="send" type="button" data-origin="\(Self.escaped(origin))">\
        \(text("signInDone.send", ["origin": origin]))</button>
        </div>

        """
    }

    private func text(_ key: String, _ values: [String: String] = [:]) -> String {
        Self.escaped(texts.text(key, values))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
