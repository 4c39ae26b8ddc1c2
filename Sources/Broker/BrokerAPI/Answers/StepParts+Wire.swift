public import FlowModel
public import OAuth

extension Node: WireValue {
    /// Reads a node; a kind that is newer than this version is a line of text.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let name = try reader.string("name")
        self.init(
            name: name,
            kind: Kind(rawValue: try reader.string("kind")) ?? .text,
            label: reader.value["label"]?.string ?? name,
            required: reader.value["required"]?.bool ?? false,
            value: reader.value["value"]?.string,
            minLength: reader.value["minLength"]?.int.map(Int.init),
            maxLength: reader.value["maxLength"]?.int.map(Int.init),
            pattern: reader.value["pattern"]?.string,
            options: reader.value["options"]?.strings,
            optionLabels: reader.value["optionLabels"]?.object?.compactMapValues(\.string),
            input: reader.value["input"]?.string.flatMap(Input.init),
            minimum: reader.value["minimum"]?.string,
            maximum: reader.value["maximum"]?.string,
            hint: reader.value["hint"]?.string
        )
    }

    /// The node as it is written; the value of a secret or a code never is.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("kind", kind.rawValue)
        object.set("label", label)
        object.set("required", required)
        if kind != .secret, kind != .code { object.set("value", value) }
        object.set("minLength", minLength.map(Int64.init))
        object.set("maxLength", maxLength.map(Int64.init))
        object.set("pattern", pattern)
        if let options { object.set("options", strings: options) }
        if let optionLabels { object.set("optionLabels", .object(optionLabels.mapValues { .string($0) })) }
        object.set("input", input?.rawValue)
        object.set("minimum", minimum)
        object.set("maximum", maximum)
        object.set("hint", hint)
        return object.json
    }
}

extension AttemptsLeft: WireValue {
    /// Reads the attempts that are left.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(remaining: Int(try reader.int("remaining")), max: Int(try reader.int("max")))
    }

    /// The attempts that are left, as they are written.
    public var json: JSONValue {
        ["remaining": .int(Int64(remaining)), "max": .int(Int64(max)), "last": .bool(isLast)]
    }
}

extension Message: WireValue {
    /// Reads a message; a level that is newer than this version is for information.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            code: try reader.string("code"),
            level: reader.value["level"]?.string.flatMap(Level.init) ?? .info,
            text: reader.value["text"]?.string ?? "",
            node: reader.value["node"]?.string
        )
    }

    /// The message as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("code", code)
        object.set("level", level.rawValue)
        object.set("text", text)
        object.set("node", node)
        return object.json
    }
}

extension NodeProblem: WireValue {
    /// Reads a problem; a code that is newer than this version is `malformed`.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            name: try reader.string("name"),
            code: Code(rawValue: try reader.string("code")) ?? .malformed,
            text: reader.value["text"]?.string ?? "",
            rule: reader.value["rule"]?.string
        )
    }

    /// The problem as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name)
        object.set("code", code.rawValue)
        object.set("text", text)
        object.set("rule", rule)
        return object.json
    }
}
