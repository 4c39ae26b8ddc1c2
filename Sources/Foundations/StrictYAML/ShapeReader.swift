import Spelling
import Synchronization

extension Shape {
    /// Validates a parsed file against this shape, fills in defaults, and appends the file's problems to `problems`.
    public func read(_ node: YAMLNode, problems: inout [Problem]) -> YAMLValue {
        var reader = ShapeReader(problems: [])
        let value = reader.read(node, self, at: "")
        problems += reader.problems
        return value
            ?? YAMLValue(content: .mapping([:], order: []), file: node.file, line: node.line, isGiven: true)
    }
}

private struct ShapeReader {
    var problems: [Problem]

    mutating func read(_ node: YAMLNode, _ shape: Shape, at path: String) -> YAMLValue? {
        switch shape {
        case .text(let rule):
            return text(node, rule, at: path).map { value(.text($0), node) }
        case .integer(let range):
            guard let number = node.integer, range.contains(number) else { return expected(shape, node, path) }
            return value(.integer(number), node)
        case .number:
            guard let number = node.number else { return expected(shape, node, path) }
            return value(.real(number), node)
        case .scalar:
            guard case .scalar = node.content, !node.isNull else { return expected(shape, node, path) }
            if let flag = node.boolean { return value(.boolean(flag), node) }
            if let number = node.number { return value(.real(number), node) }
            return text(node, TextRule(maxLength: 4096), at: path).map { value(.text($0), node) }
        case .boolean:
            guard let flag = node.boolean else { return expected(shape, node, path) }
            return value(.boolean(flag), node)
        case .choice(let words, let later):
            return choice(node, words, later: later, at: path).map { value(.text($0), node) }
        case .list(let item, let count):
            guard case .list(let nodes) = node.content else { return expected(shape, node, path) }
            guard count.contains(nodes.count) else {
                let bound =
                    nodes.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
                return refuse(node, "`\(path)` has \(nodes.count) items; it must have \(bound)")
            }
            var items: [YAMLValue] = []
            for (index, node) in nodes.enumerated() {
                if let value = read(node, item, at: "\(path)[\(index)]") { items.append(value) }
            }
            return value(.list(items), node)
        case .object(let keys):
            return object(node, keys, at: path)
        case .dictionary(let rule, let member, let count):
            return dictionary(node, rule, member, count, at: path)
        case .either(let shapes):
            return either(node, shapes, at: path)
        case .anything:
            return anything(node)
        case .later(let inner, let needs):
            guard let value = read(node, inner, at: path) else { return nil }
            return refuse(value, "`\(path)` is not supported by this version: \(needs)")
        case .refused(let reason):
            return refuse(node, "`\(path)` is not accepted: \(reason)")
        }
    }

    private mutating func object(_ node: YAMLNode, _ keys: [Key], at path: String) -> YAMLValue? {
        guard case .mapping(let members) = node.content else { return expected(.object(keys), node, path) }
        for member in members where !keys.contains(where: { $0.name == member.name }) {
            unknown(member, among: keys.map(\.name), at: path, file: node.file)
        }
        var values: [String: YAMLValue] = [:]
        for key in keys {
            let place = path.isEmpty ? key.name : "\(path).\(key.name)"
            if let member = members.first(where: { $0.name == key.name }) {
                values[key.name] = given(member, key, at: place) ?? standard(of: key, beside: node)
            } else if key.isRequired {
                let message = "`\(place)` is missing; it must be \(key.shape.expectation)"
                problems.append(Problem(file: node.file, line: node.line, message: message))
            } else {
                values[key.name] = standard(of: key, beside: node)
            }
        }
        return value(.mapping(values, order: keys.map(\.name)), node)
    }

    private mutating func given(_ member: YAMLNode.Member, _ key: Key, at path: String) -> YAMLValue? {
        if case .later(let inner, let needs) = key.shape {
            guard let value = read(member.value, inner, at: path) else { return nil }
            if value == standard(of: key, beside: member.value) { return value }
            return refuse(value, "`\(path)` is not supported by this version: \(needs)")
        }
        if case .refused = key.shape { return read(member.value, key.shape, at: path) }
        // Report the line of the key, because an explicit null can be on a later line than its key.
        if member.value.isNull {
            return refuse(
                YAMLNode(content: member.value.content, file: member.value.file, line: member.line),
                "`\(path)` has no value; it must be \(key.shape.expectation)"
            )
        }
        return read(member.value, key.shape, at: path)
    }

    private mutating func dictionary(
        _ node: YAMLNode,
        _ rule: TextRule,
        _ shape: Shape,
        _ count: ClosedRange<Int>,
        at path: String
    ) -> YAMLValue? {
        guard case .mapping(let members) = node.content else { return expected(.object([]), node, path) }
        guard count.contains(members.count) else {
            let bound =
                members.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
            return refuse(node, "`\(path)` has \(members.count) members; it must have \(bound)")
        }
        var values: [String: YAMLValue] = [:]
        for member in members {
            let place = path.isEmpty ? member.name : "\(path).\(member.name)"
            if let refusal = rule.refusal(of: member.name) {
                problems.append(
                    Problem(
                        file: member.value.file,
                        line: member.line,
                        message: "the name `\(place.shortened)` \(refusal)"
                    )
                )
                continue
            }
            values[member.name] = read(member.value, shape, at: place)
        }
        return value(.mapping(values, order: members.map(\.name)), node)
    }

    private mutating func either(_ node: YAMLNode, _ shapes: [Shape], at path: String) -> YAMLValue? {
        let before = problems
        var fitting: [(strangeness: Int, problems: [Problem])] = []
        for shape in shapes {
            let value = read(node, shape, at: path)
            let found = Array(problems[before.count...])
            problems = before
            if let value, !found.contains(where: { $0.severity == .error }) {
                problems += found
                return value
            }
            if let strangeness = shape.strangeness(of: node) { fitting.append((strangeness, found)) }
        }
        // Report the problems of the shape that the value resembles most. If the value is a scalar that resembles
        // several shapes equally, report what all shapes expect.
        let isKnown = fitting.contains { $0.strangeness < 0 }
        guard let best = fitting.min(by: { $0.strangeness < $1.strangeness }),
            isKnown || fitting.count == 1 || node.scalar == nil
        else { return expected(.either(shapes), node, path) }
        problems += best.problems
        return nil
    }

    private func anything(_ node: YAMLNode) -> YAMLValue {
        switch node.content {
        case .scalar(let text, _): return value(.text(text), node)
        case .list(let items): return value(.list(items.map(anything)), node)
        case .mapping(let members):
            let pairs = members.map { ($0.name, anything($0.value)) }
            let values = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            return value(.mapping(values, order: members.map(\.name)), node)
        }
    }

    private mutating func text(_ node: YAMLNode, _ rule: TextRule, at path: String) -> String? {
        guard let text = node.text else {
            if node.looksLikeSomethingElse, !node.isNull {
                return refuse(
                    node,
                    "`\(path)` is \(node.scalar?.shortened ?? ""), which YAML does not read as text; put it in quotes"
                )
            }
            return expected(.text(rule), node, path)
        }
        if let refusal = rule.refusal(of: text) { return refuse(node, "`\(path)` \(refusal)") }
        return text
    }

    private mutating func choice(_ node: YAMLNode, _ words: [String], later: [String], at path: String) -> String? {
        // Accept the words of a choice even if a YAML parser could interpret them as another type, such as `off`.
        guard let word = node.scalar, !node.isNull else { return expected(.choice(words), node, path) }
        if words.contains(word) { return word }
        if later.contains(word) {
            let possible = words.joined(separator: ", ")
            return refuse(node, "`\(path)`: \(word) is not supported by this version; supported: \(possible)")
        }
        let hint = NearestName.of(word, among: words + later).map { "; did you mean \($0)?" } ?? ""
        return refuse(node, "`\(path)` is \(word.shortened); it must be \(Shape.choice(words).expectation)\(hint)")
    }

    private mutating func standard(of key: Key, beside node: YAMLNode) -> YAMLValue? {
        var quiet = ShapeReader(problems: [])
        let inner = if case .later(let shape, _) = key.shape { shape } else { key.shape }
        let content: YAMLNode
        if let text = key.standard {
            guard let parsed = Self.parsed(text) else { return nil }
            content = parsed
        } else if case .object = inner {
            content = YAMLNode(content: .mapping([]), file: node.file, line: node.line)
        } else {
            return nil
        }
        return quiet.read(content, inner, at: key.name)?.moved(to: node)
    }

    /// The parsed default values, by their YAML text.
    private static let defaults = Mutex<[String: YAMLNode]>([:])

    /// Returns the parsed default value, whose file and line the caller must replace, or `nil` for invalid YAML.
    private static func parsed(_ text: String) -> YAMLNode? {
        if let known = defaults.withLock({ $0[text] }) { return known }
        guard let node = try? YAMLDocument.parse(text, file: "default") else { return nil }
        defaults.withLock { $0[text] = node }
        return node
    }

    private mutating func unknown(_ member: YAMLNode.Member, among names: [String], at path: String, file: String) {
        let place = path.isEmpty ? member.name : "\(path).\(member.name)"
        let hint =
            NearestName.of(member.name, among: names).map { "did you mean `\($0)`?" }
            ?? "valid keys: \(names.joined(separator: ", "))"
        problems.append(
            Problem(file: member.value.file, line: member.line, message: "unknown key `\(place.shortened)`; \(hint)")
        )
    }

    private mutating func expected<T>(_ shape: Shape, _ node: YAMLNode, _ path: String) -> T? {
        let place = path.isEmpty ? "the file" : "`\(path)`"
        return refuse(node, "\(place) is \(node.looks); it must be \(shape.expectation)")
    }

    private mutating func refuse<T>(_ node: YAMLNode, _ message: String) -> T? {
        problems.append(Problem(file: node.file, line: node.line, message: message))
        return nil
    }

    private mutating func refuse<T>(_ value: YAMLValue, _ message: String) -> T? {
        problems.append(value.problem(message))
        return nil
    }

    private func value(_ content: YAMLValue.Content, _ node: YAMLNode) -> YAMLValue {
        YAMLValue(content: content, file: node.file, line: node.line, isGiven: true)
    }
}
