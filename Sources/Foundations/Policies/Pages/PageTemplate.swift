import Foundation

/// An operator's HTML page with one empty `<div id="api"></div>`, which the card with the form replaces.
public struct PageTemplate: Hashable, Sendable, Codable {
    /// The reasons for rejecting a template.
    public enum Refusal: Error, Hashable, CustomStringConvertible {
        /// The template does not contain exactly one placeholder for the card.
        case place
        /// The markup contains the given forbidden text, such as a form control or a reference to another server.
        case unsafe(String)
        /// The template is larger than the given number of bytes.
        case tooBig(Int)
        /// The template is not a readable `.html` file in the policy's folder.
        case missing
        case file(String, PageFile.Refusal)

        /// The reason, as shown to operators after the file name, such as `is larger than 16 kB`.
        public var description: String {
            switch self {
            case .place: "must have exactly one `<div id=\"api\"></div>`, where the card goes"
            case .unsafe(let what): "contains `\(what)`, which pages must not contain"
            case .tooBig(let bytes): "is larger than \(bytes / 1000) kB"
            case .missing: "must be the name of a readable .html file beside the policy"
            case .file(let name, let refusal): "names \(name), which \(refusal)"
            }
        }
    }

    /// The maximum size of a template, in bytes.
    static let mostBytes = 16_000
    static let place = "<div id=\"api\"></div>"

    /// The elements that a template must not contain, in addition to those that ``UnsafeMarkup`` rejects.
    ///
    /// Every page already contains them, or they can refer to files, whose URLs change with their content.
    private static let tags: Set<String> = ["link", "html", "head", "body", "title", "img", "style", "main", "h1"]
    /// The attributes that a template must not contain, because they set inline styles or load files.
    private static let words = [" style=", " src=", "srcset"]

    /// The markup before the card.
    public let before: String
    /// The markup after the card.
    public let after: String
    /// The style sheet to apply after the default style sheet, or `nil` for none.
    public let sheet: PageFile?

    /// Parses the content of `<body>`, which may include one `<link rel="stylesheet" href="…">`.
    ///
    /// `file` reads the file with the given name in the template's folder.
    public init(
        html: String,
        file: (String) throws(PageFile.Refusal) -> PageFile
    ) throws(Refusal) {
        guard html.utf8.count <= Self.mostBytes else { throw .tooBig(Self.mostBytes) }
        let link = html.firstMatch(of: #/<link\s+rel="stylesheet"\s+href="([^"]*)"\s*\/?>/#)
        sheet = try Self.sheet(link.map { String($0.1) }, file)
        let body = link.map { html.replacingCharacters(in: $0.range, with: "") } ?? html
        if let found = UnsafeMarkup.found(in: body, tags: Self.tags, words: Self.words) {
            throw .unsafe(found)
        }
        let parts = body.split(separator: Self.place, omittingEmptySubsequences: false)
        guard parts.count == 2, !body.replacing(Self.place, with: "").contains("id=\"api\"") else { throw .place }
        before = String(parts[0])
        after = String(parts[1])
    }

    /// Reads a template and its style sheet from a folder, and appends the style sheet's name to `names`.
    init(name: String, in folder: String, naming names: inout [String]) throws(Refusal) {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        guard !name.contains("/"), name.hasSuffix(".html"),
            let bytes = PageFile.contents(of: path, upTo: Self.mostBytes + 1),
            let html = String(data: bytes, encoding: .utf8)
        else { throw .missing }
        try self.init(html: html) { sheet throws(PageFile.Refusal) in
            names.append(sheet)
            return try PageFile(name: sheet, in: folder)
        }
    }

    private static func sheet(
        _ name: String?,
        _ file: (String) throws(PageFile.Refusal) -> PageFile
    ) throws(Refusal) -> PageFile? {
        guard let name else { return nil }
        do throws(PageFile.Refusal) {
            let sheet = try file(name)
            guard sheet.kind == .css else { throw .otherKind }
            return sheet
        } catch { throw .file(name, error) }
    }
}
