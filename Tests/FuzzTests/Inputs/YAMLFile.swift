import Foundation

@testable import StrictYAML

extension FuzzedInput {
    /// A YAML file, such as a configuration file or a policy.
    static let yaml = FuzzedInput(name: "yaml") { bytes in
        guard let node = try? YAMLDocument.parse(Data(bytes), file: "f") else { return }
        var text = ""
        write(node, to: &text)
        guard text.utf8.count <= YAMLDocument.maximumSize else { return }
        let again: YAMLNode
        do {
            again = try YAMLDocument.parse(text, file: "f")
        } catch {
            throw Broken(description: "a file does not read back: \(error)")
        }
        try require(isSame(node, again), "a file reads back with other values")
        try require(depth(node) <= YAMLDocument.maximumDepth, "a file is nested too deep")
    }

    /// Writes a node in flow style, with every scalar in double quotes.
    private static func write(_ node: YAMLNode, to text: inout String) {
        switch node.content {
        case .scalar(let scalar, _): write(scalar, to: &text)
        case .list(let items):
            text += "["
            for item in items {
                write(item, to: &text)
                text += ", "
            }
            text += "]"
        case .mapping(let members):
            text += "{"
            for member in members {
                text += "? "
                write(member.name, to: &text)
                text += " : "
                write(member.value, to: &text)
                text += ", "
            }
            text += "}"
        }
    }

    private static func write(_ scalar: String, to text: inout String) {
        text += "\""
        for scalar in scalar.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": text.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                text += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        text += "\""
    }

    private static func isSame(_ one: YAMLNode, _ other: YAMLNode) -> Bool {
        switch (one.content, other.content) {
        case (.scalar(let a, _), .scalar(let b, _)): Array(a.utf8) == Array(b.utf8)
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy(isSame)
        case (.mapping(let a), .mapping(let b)):
            a.count == b.count
                && zip(a, b).allSatisfy { Array($0.name.utf8) == Array($1.name.utf8) && isSame($0.value, $1.value) }
        case (.scalar, _), (.list, _), (.mapping, _): false
        }
    }

    private static func depth(_ node: YAMLNode) -> Int {
        switch node.content {
        case .scalar: 1
        case .list(let items): 1 + (items.map(depth).max() ?? 0)
        case .mapping(let members): 1 + (members.map { depth($0.value) }.max() ?? 0)
        }
    }
}
