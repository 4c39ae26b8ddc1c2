import FlowModel
import Foundation
import Localization
import Spelling
import StrictYAML

/// Reads the keys of a policy file that configure the appearance and the texts of the policy's web pages.
struct PageReader {
    private(set) var problems: [Problem] = []
    private(set) var files: [NamedFile] = []

    /// Reads the value of `pages:` and the files that it refers to, which must be in the policy file's folder.
    mutating func look(_ value: YAMLValue) -> PageLook {
        PageLook(
            title: value["title"].text,
            accent: accent(value["colours"]["accent"]),
            logo: picture(value["logo"]),
            background: background(value["background"]),
            template: template(value["template"])
        )
    }

    /// Reads the operator's texts from the value of `languages.overrides`, grouped by language and key.
    mutating func texts(_ value: YAMLValue) -> [String: [String: String]] {
        var texts: [String: [String: String]] = [:]
        for (language, sentences) in value.members {
            for (name, sentence) in sentences.members where isKnown(name, sentence) {
                texts[language, default: [:]][name] = sentence.text
            }
        }
        return texts
    }

    private mutating func isKnown(_ name: String, _ sentence: YAMLValue) -> Bool {
        guard PageTexts.keys.contains(name), let ours = PageTexts(.english).sentence(name) else {
            let hint = NearestName.of(name, among: Array(PageTexts.keys)).map { "; did you mean \($0)?" } ?? ""
            problems.append(sentence.problem("unknown page text \(name)\(hint)"))
            return false
        }
        let unknown = PageTexts.placeholders(of: sentence.text).subtracting(PageTexts.placeholders(of: ours))
        guard let value = unknown.min() else { return true }
        problems.append(sentence.problem("the text \(name) has no placeholder {\(value)}"))
        return false
    }

    private mutating func accent(_ value: YAMLValue) -> AccentColour {
        guard let accent = AccentColour(value.text) else { return .preset }
        if value.isGiven, accent.isAdapted, accent != .preset {
            problems.append(
                value.warning(
                    "`\(accent.asked)` has too little contrast, so pages use \(accent.light.background) in the light theme "
                        + "and \(accent.dark.background) in the dark theme"
                )
            )
        }
        return accent
    }

    private mutating func picture(_ value: YAMLValue) -> PageFile? {
        guard let name = value.textUnlessNone else { return nil }
        do throws(PageFile.Refusal) {
            let file = try PageFile(name: name, in: Self.folder(of: value))
            guard file.kind != .css else { throw .name }
            files.append(NamedFile(name, in: Self.folder(of: value)))
            return file
        } catch {
            problems.append(value.problem("`\(name)` \(error)"))
            return nil
        }
    }

    private mutating func background(_ value: YAMLValue) -> PageBackground? {
        guard let text = value.textUnlessNone else { return nil }
        return text.hasPrefix("#") ? .colour(text.lowercased()) : picture(value).map { .picture($0) }
    }

    private mutating func template(_ value: YAMLValue) -> PageTemplate? {
        guard let name = value.textUnlessNone else { return nil }
        let folder = Self.folder(of: value)
        do throws(PageTemplate.Refusal) {
            var names = [name]
            let template = try PageTemplate(name: name, in: folder, naming: &names)
            files += names.map { NamedFile($0, in: folder) }
            return template
        } catch {
            problems.append(value.problem("`\(name)` \(error)"))
            return nil
        }
    }

    private static func folder(of value: YAMLValue) -> String { (value.file as NSString).deletingLastPathComponent }
}
