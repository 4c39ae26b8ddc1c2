public import OAuth

/// The JSON form of a sentence, which is an object with the members `key` and `parameters`.
///
/// A parameter is a string, an integer, the JSON form of another sentence, or an object with the members `list` (the
/// items) and `joint` (the way in which they are joined).
extension Text {
    /// The members of the sentence's JSON object, or an empty dictionary for literal text.
    public var members: [String: JSONValue] { exactWords == nil ? written : [:] }

    /// The members of the sentence's JSON object, even if the sentence consists of literal text.
    fileprivate var written: [String: JSONValue] {
        var members: [String: JSONValue] = ["key": .string(key)]
        if !parameters.isEmpty { members["parameters"] = .object(parameters.mapValues(\.json)) }
        return members
    }

    /// Parses a sentence, or returns `nil` if the key is missing, a member is malformed or a limit is exceeded.
    public init?(members: [String: JSONValue]) {
        var reader = TextReader()
        guard let text = reader.text(members, depth: 1) else { return nil }
        self = text
    }

    /// The maximum depth to which sentences and lists can be nested.
    static let deepest = 8
    /// The maximum number of values in a sentence, including those of nested sentences and lists.
    static let mostValues = 256
    /// The maximum total length of the keys, parameter names and literal text in a sentence, in bytes.
    static let mostBytes = 16 * 1024
}

extension Text.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .words(let words): .string(words)
        case .number(let number): .int(number)
        case .text(let text): .object(text.written)
        case .list(let values, let joint):
            ["list": .array(values.map(\.json)), "joint": .string(joint.rawValue)]
        }
    }
}

/// A parser for sentences from other processes, which enforces the limits that ``Text`` defines.
private struct TextReader {
    private var values = 0
    private var bytes = 0

    mutating func text(_ members: [String: JSONValue], depth: Int) -> Text? {
        guard depth <= Text.deepest, let key = members["key"]?.string, takes(key) else { return nil }
        guard let json = members["parameters"] else { return Text(key: key, parameters: [:]) }
        guard let object = json.object else { return nil }
        var parameters: [String: Text.Value] = [:]
        for (name, json) in object {
            guard takes(name), let value = value(json, depth: depth) else { return nil }
            parameters[name] = value
        }
        return Text(key: key, parameters: parameters)
    }

    private mutating func value(_ json: JSONValue, depth: Int) -> Text.Value? {
        values += 1
        guard values <= Text.mostValues else { return nil }
        switch json {
        case .string(let words): return takes(words) ? .words(words) : nil
        case .int(let number): return .number(number)
        case .object(let members):
            guard members["key"] == nil else {
                return members["list"] == nil ? text(members, depth: depth + 1).map(Text.Value.text) : nil
            }
            return list(members, depth: depth + 1)
        case .null, .bool, .double, .array: return nil
        }
    }

    private mutating func list(_ members: [String: JSONValue], depth: Int) -> Text.Value? {
        guard depth <= Text.deepest, let elements = members["list"]?.array,
            let joint = members["joint"]?.string.flatMap(Text.Joint.init)
        else { return nil }
        var list: [Text.Value] = []
        for element in elements {
            guard let value = value(element, depth: depth) else { return nil }
            list.append(value)
        }
        return .list(list, joint)
    }

    private mutating func takes(_ text: String) -> Bool {
        bytes += text.utf8.count
        return bytes <= Text.mostBytes
    }
}
