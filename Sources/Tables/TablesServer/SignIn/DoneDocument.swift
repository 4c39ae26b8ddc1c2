import FlowModel
public import Localization

/// The HTML page on which a sign-in in a browser ends, with a script that shows the result from the URL.
public struct DoneDocument: Sendable {
    private let texts: PageTexts
    private let origin: String?
    private let files: String
    /// Whether the sign-in is already over, in which case the page ignores the result in the URL.
    private let isOver: Bool

    /// Creates the document for a browser that has just returned from a sign-in.
    ///
    /// The page at `origin` may get the result. `files` is the path of the script and style sheet without extension.
    public init(_ texts: PageTexts, origin: String?, files: String) {
        self.texts = texts
        self.origin = origin
        self.files = files
        isOver = false
    }

    /// Creates a document without a script or a result, for a browser that has not just returned from a sign-in.
    public init(overIn texts: PageTexts, files: String) {
        self.texts = texts
        self.files = files
        origin = nil
        isOver = true
    }

    /// The style sheet.
    public static var style: String { String(decoding: PackageResources.done_css, as: UTF8.self) }

    /// The script that sends the result to the window that opened the page.
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

    /// The HTML of all possible results, of which the script shows one.
    private var outcome: String {
        """
        <p id="done" hidden>\(text("signInDone.done"))</p>
        <p id="failed" hidden>\(text("signInDone.failed"))</p>
        <p id="nothing" hidden>\(text("signInDone.nothing"))</p>
        \(origin.map(ask) ?? "")
        """
    }

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
