import FlowModel
import Localization
import Policies

protocol PageFace {
    static var template: String { get }
    var icon: Icon? { get }
    /// The tone of the large icon above the heading (`good`, `warn` or `plain`), or `nil` if the icon is small.
    var tone: String? { get }
    /// Whether the page shows errors, in which case the document's title begins with a word such as "Error".
    var hasErrors: Bool { get }
    /// Returns the heading, which is also the document's title.
    func title(_ texts: PageTexts) -> String
    /// Returns the text below the heading, or `nil` if there is none.
    func lead(_ texts: PageTexts) -> Markup?
    func content(_ frame: PageFrame) -> [String: TemplateValue]
}

extension PageFace {
    var hasErrors: Bool { false }
    var tone: String? { nil }

    func values(in frame: PageFrame) -> TemplateValue {
        let texts = frame.texts
        let title = title(texts)
        let prefix = hasErrors ? "\(texts.text("errorPrefix")): " : ""
        let picture: TemplateValue = icon.map { .markup($0.markup) } ?? false
        let around: [String: TemplateValue] = [
            "lang": .text(texts.language.rawValue),
            "dir": .text(texts.language.isRightToLeft ? "rtl" : "ltr"),
            "documentTitle": .text("\(prefix)\(title) · \(frame.brand.title)"),
            "iconPath": .text(frame.path(.icon)),
            "sheetPaths": .list(
                [.sheet, frame.brand.sheet, frame.brand.templateSheet].compactMap { $0 }.map { .text(frame.path($0)) }
            ),
            "logoPath": .text(frame.brand.logo.map(frame.path)),
            "isTemplate": .flag(frame.brand.template != nil),
            "before": .markup(Markup(of: frame.brand.template, \.before)),
            "after": .markup(Markup(of: frame.brand.template, \.after)),
            "content": .text(Self.template),
            "brand": .text(frame.brand.title),
            "letter": .text(frame.brand.title.first.map { String($0).uppercased() } ?? ""),
            "tile": tone == nil ? picture : false,
            "hero": tone == nil ? false : picture,
            "tone": .text(tone),
            "title": .text(title),
            "lead": lead(texts).map { .markup($0) } ?? false,
            "isWide": false,
            "scriptPath": false,
            "end": false,
            "languagesLabel": .text(texts.text("languages")),
            "languages": .list(
                frame.otherLanguages.map {
                    ["tag": .text($0.language.rawValue), "address": .text($0.address), "name": .text($0.language.name)]
                }
            ),
        ]
        return .object(around.merging(content(frame)) { $1 })
    }
}
