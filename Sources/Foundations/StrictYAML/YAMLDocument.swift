import Files
public import Foundation
import Yams

/// A parser for an unambiguous subset of YAML without anchors, aliases, tags and multiple documents.
public enum YAMLDocument {
    /// The maximum size of a file, in bytes.
    public static let maximumSize = 1 << 20
    /// The maximum nesting depth of lists and mappings.
    public static let maximumDepth = 32
    /// The maximum number of scalars, lists and mappings in a file.
    static let maximumNodes = 100_000

    /// Reads and parses a file.
    public static func parse(path: String) throws(Problem) -> YAMLNode {
        // `O_NONBLOCK` prevents this call from waiting if the file is a named pipe without a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw Problem(file: path, line: 1, message: "this file cannot be read") }
            throw Problem(file: path, line: 0, message: "there is no such file")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        switch try? FileStatus(descriptor: descriptor).kind {
        case .file: break
        case .directory: throw Problem(file: path, line: 1, message: "this is a folder")
        case .socket, .other, nil: throw Problem(file: path, line: 1, message: "this is not a regular file")
        }
        do {
            return try parse(try handle.read(upToCount: maximumSize + 1) ?? Data(), file: path)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(file: path, line: 1, message: "this file cannot be read")
        }
    }

    /// Parses a YAML document from text, where empty text is an empty mapping.
    public static func parse(_ text: String, file: String) throws(Problem) -> YAMLNode {
        try parse(Data(text.utf8), file: file)
    }

    /// Parses a YAML document from UTF-8 bytes, where empty data is an empty mapping.
    ///
    /// A byte order mark is skipped.
    public static func parse(_ data: Data, file: String) throws(Problem) -> YAMLNode {
        guard data.count <= maximumSize else {
            throw Problem(file: file, line: 1, message: "the file has more than \(maximumSize) bytes")
        }
        if let encoding = ByteOrderMark.wideEncoding(of: data) {
            throw Problem(file: file, line: 1, message: "this is \(encoding); save the file as UTF-8")
        }
        // The parser would count a byte order mark as a column, so the first key would be indented.
        guard let text = String(validating: ByteOrderMark.skipped(in: data), as: UTF8.self) else {
            let valid = String(decoding: data, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
            let line = 1 + valid.utf8.count { $0 == UInt8(ascii: "\n") }
            throw Problem(file: file, line: line, message: "this is not UTF-8")
        }
        do {
            // The default resolver compiles regular expressions to infer tags, which are not needed.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            // Keep the parser alive, because it owns the anchors, and nodes refer to their anchors only weakly.
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else {
                    return YAMLNode(content: .mapping([]), file: file, line: 1)
                }
                var walk = Walk(file: file)
                let node = try walk.node(root, depth: 1)
                return node.isNull ? YAMLNode(content: .mapping([]), file: file, line: node.line) : node
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as YamlError {
            throw Problem(error, file: file)
        } catch {
            throw Problem(file: file, line: 1, message: "\(error)")
        }
    }
}

/// Converts the nodes from Yams and rejects YAML features that ``YAMLDocument`` does not support.
private struct Walk {
    let file: String
    var count = 0

    mutating func node(_ node: Node, depth: Int, isKey: Bool = false) throws(Problem) -> YAMLNode {
        let line = node.mark?.line ?? 1
        count += 1
        guard count <= YAMLDocument.maximumNodes else {
            throw Problem(file: file, line: line, message: "the file has more than \(YAMLDocument.maximumNodes) values")
        }
        guard depth <= YAMLDocument.maximumDepth else {
            throw Problem(
                file: file,
                line: line,
                message: "this is nested more than \(YAMLDocument.maximumDepth) levels deep"
            )
        }
        guard node.anchor == nil, node.alias == nil else {
            throw Problem(file: file, line: line, message: "anchors and aliases are not supported")
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain && scalar.style != .any
            // Yams assigns the string tag to quoted text, and also to keys in order to compare them.
            try refuseTag("\(scalar.tag)", at: line, unless: isQuoted || isKey ? "tag:yaml.org,2002:str" : "")
            return YAMLNode(content: .scalar(scalar.string, isPlain: !isQuoted), file: file, line: line)
        case .sequence(let sequence):
            try refuseTag("\(sequence.tag)", at: line, unless: "")
            var list: [YAMLNode] = []
            for item in sequence { list.append(try self.node(item, depth: depth + 1)) }
            return YAMLNode(content: .list(list), file: file, line: line)
        case .mapping(let mapping):
            try refuseTag("\(mapping.tag)", at: line, unless: "")
            var members: [YAMLNode.Member] = []
            for pair in mapping { members.append(try member(pair.key, pair.value, depth: depth, in: members)) }
            return YAMLNode(content: .mapping(members), file: file, line: line)
        case .alias:
            throw Problem(file: file, line: line, message: "anchors and aliases are not supported")
        }
    }

    private mutating func member(
        _ key: Node,
        _ value: Node,
        depth: Int,
        in members: [YAMLNode.Member]
    ) throws(Problem) -> YAMLNode.Member {
        guard let text = key.scalar?.string else {
            throw Problem(
                file: file,
                line: key.mark?.line ?? 1,
                message: "the name of a key is a list, a mapping or an alias"
            )
        }
        let name = try node(key, depth: depth + 1, isKey: true)
        // Yams treats 1 and "1" as different keys because their types differ. In this subset, they are the same key.
        guard !members.contains(where: { $0.name == text }) else {
            throw Problem(file: file, line: name.line, message: "`\(text.shortened)` is given twice")
        }
        return YAMLNode.Member(name: text, line: name.line, value: try node(value, depth: depth + 1))
    }

    private func refuseTag(_ tag: String, at line: Int, unless allowed: String) throws(Problem) {
        guard tag.isEmpty || tag == allowed else {
            throw Problem(file: file, line: line, message: "tags are not supported")
        }
    }
}

extension Problem {
    fileprivate init(_ error: YamlError, file: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let prefix = context.map { $0.text + ", " } ?? ""
            self.init(file: file, line: mark.line, message: "this is not YAML: \(prefix)\(problem)")
        case .reader(let problem, let offset, _, let yaml):
            let line = 1 + yaml.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") }
            self.init(file: file, line: line, message: "this is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            let names = names.map { "`\($0.shortened)`" }.joined(separator: ", ")
            self.init(file: file, line: context.mark.line, message: "\(names) is given twice")
        default:
            self.init(file: file, line: 1, message: "this is not YAML")
        }
    }
}

extension String {
    /// The first 40 characters without control characters, with an ellipsis if characters are missing.
    var shortened: String {
        let shown = String(
            unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(40).map(Character.init)
        )
        return shown.unicodeScalars.count < unicodeScalars.count ? shown + "…" : shown
    }
}
