import Foundation

/// An operator's own page around the card: HTML with one empty `<div id="api"></div>`, where the card goes.
public struct PageTemplate: Hashable, Sendable, Codable {
    /// The reasons for not taking a template.
    public enum Refusal: Error, Hashable, CustomStringConvertible {
        /// The place of the card is missing, or there are several.
        case place
        /// It has something that runs, asks, or fetches from elsewhere.
        case unsafe(String)
        /// It has more bytes than this.
        case tooBig(Int)
        /// The file itself is no name beside the policy, or cannot be read.
        case missing
        /// A file that it names cannot be shown.
        case file(String, PageFile.Refusal)

        /// A sentence for the operator, without a full stop.
        public var description: String {
            switch self {
            case .place: "must have exactly one `<div id=\"api\"></div>`, where the card goes"
            case .unsafe(let what): "has `\(what)`, which pages may not have"
            case .tooBig(let bytes): "is larger than \(bytes / 1000) kB"
            case .missing: "must be the name of a readable .html file beside the policy"
            case .file(let name, let refusal): "names \(name), which \(refusal)"
            }
        }
    }

    /// The most bytes of a template.
    static let mostBytes = 16_000
    /// The place of the card.
    static let place = "<div id=\"api\"></div>"

    /// The elements that a page has already, and those that would need a name that changes with its content.
    private static let tags: Set<String> = ["link", "html", "head", "body", "title", "img", "style", "main", "h1"]
    /// Attributes that style or fetch.
    private static let words = [" style=", " src=", "srcset"]

    /// The markup before the card.
    public let before: String
    /// The markup after the card.
    public let after: String
    /// The style sheet, which comes after the pages' own.
    public let sheet: PageFile?

    /// Reads a template: what stands in `<body>`, and perhaps a `<link rel="stylesheet" href="…">` to a sheet beside it.
    ///
    /// - Parameters:
    ///   - html: The markup.
    ///   - file: Reads a file beside it by its name.
    /// - Throws: The reason for which it cannot be used.
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

    /// Reads a template, and the sheet that it names, from a folder.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - folder: The folder.
    ///   - names: Gets the name of the sheet.
    /// - Throws: The reason for which it cannot be used.
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
