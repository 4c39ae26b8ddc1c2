public import FlowModel
public import OAuth

extension Flow: WireValue {
    /// Reads a flow.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let want = reader.value["want"]
        self.init(
            id: try reader.string("id"),
            rev: Int(try reader.int("rev")),
            policy: try reader.string("policy"),
            state: try FlowState(word: reader.string("state"), reason: reader.value["reason"]?.string),
            expiresAt: try reader.int("expiresAt"),
            stepExpiresAt: reader.value["stepExpiresAt"]?.int,
            want: Want(
                scopes: want?["scopes"]?.strings ?? [],
                acrValues: want?["acr"]?.strings ?? [],
                maxAge: want?["maxAge"]?.int
            ),
            step: try reader.optional("step"),
            retryAfterMs: reader.value["retryAfterMs"]?.int
        )
        account = reader.value["account"]?.string
        message = reader.value["message"]?.string
        userIdentity = reader.value["userIdentity"].flatMap(ExternalIdentity.init(claim:))
        openedBy = LinkOpener(reader.value["openedBy"])
        browser = BrowserPlace(browser: reader.value["browser"]) ?? BrowserPlace(device: reader.value["device"])
    }

    /// The flow as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("id", id)
        object.set("rev", Int64(rev))
        object.set("policy", policy)
        object.set("state", state.name)
        if case .failed(let reason) = state { object.set("reason", reason.rawValue) }
        object.set("expiresAt", expiresAt)
        object.set("stepExpiresAt", stepExpiresAt)
        var want = ObjectBuilder()
        want.set("scopes", strings: self.want.scopes)
        want.set("acr", unlessEmpty: self.want.acrValues)
        want.set("maxAge", self.want.maxAge)
        object.set("want", want.json)
        object.set("step", step?.json)
        object.set("retryAfterMs", retryAfterMs)
        browser?.write(to: &object)
        object.set("account", account)
        object.set("message", message)
        object.set("userIdentity", userIdentity?.claim)
        object.set("openedBy", openedBy?.json)
        return object.json
    }
}

/// A place as it stands on the wire: `browser`, or `device` with the names of RFC 8628 §3.2 if a code is typed there.
extension BrowserPlace {
    fileprivate init?(browser json: JSONValue?) {
        guard let json, let url = json["url"]?.string else { return nil }
        self.init(url: url, words: json["words"]?.strings ?? [])
    }

    fileprivate init?(device json: JSONValue?) {
        guard let json, let url = json["verificationUriComplete"]?.string,
            let page = json["verificationUri"]?.string, let userCode = json["userCode"]?.string
        else { return nil }
        self.init(
            url: url,
            words: json["words"]?.strings ?? [],
            code: TypedCode(userCode: userCode, page: page)
        )
    }

    fileprivate func write(to object: inout ObjectBuilder) {
        let words = JSONValue.array(words.map { .string($0) })
        guard let code else {
            object.set("browser", ["url": .string(url), "words": words])
            return
        }
        object.set(
            "device",
            [
                "userCode": .string(code.userCode), "verificationUri": .string(code.page),
                "verificationUriComplete": .string(url), "words": words,
            ]
        )
    }
}

extension LinkOpener {
    fileprivate init?(_ json: JSONValue?) {
        if let uid = json?["uid"]?.int.flatMap(UInt32.init(exactly:)) {
            self = .user(uid: uid, name: json?["user"]?.string)
        } else if let address = json?["address"]?.string {
            self = .address(address)
        } else {
            return nil
        }
    }

    fileprivate var json: JSONValue {
        var object = ObjectBuilder()
        switch self {
        case .user(let uid, let name):
            object.set("uid", Int64(uid))
            object.set("user", name)
        case .address(let address): object.set("address", address)
        }
        return object.json
    }
}

extension FlowState {
    /// Reads a state; a reason that is newer than this version is `internal`.
    fileprivate init(word: String, reason: String?) throws(UnreadableAnswer) {
        switch word {
        case "challenge": self = .challenge
        case "pending": self = .pending
        case "succeeded": self = .succeeded
        case "failed": self = .failed(reason.flatMap(FailureReason.init) ?? .internal)
        case "cancelled": self = .cancelled
        case "expired": self = .expired
        default: throw UnreadableAnswer("state")
        }
    }
}

extension Step: WireValue {
    /// Reads a step; one of an unknown type is answered by its nodes.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            id: try reader.string("id"),
            type: StepType(rawValue: try reader.string("type")),
            check: reader.value["check"]?.string,
            title: reader.value["title"]?.string ?? "",
            nodes: try reader.list("nodes"),
            attempts: try reader.optional("attempts"),
            messages: try reader.list("messages"),
            actions: try reader.list("actions"),
            data: reader.value["data"].flatMap { $0.isNull ? JSONValue?.none : $0 }
        )
    }

    /// The step as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("id", id)
        object.set("type", type.rawValue)
        object.set("check", check)
        object.set("title", title)
        object.set("nodes", nodes)
        object.set("attempts", attempts?.json)
        object.set("messages", messages)
        object.set("actions", actions)
        object.set("data", data)
        return object.json
    }
}

extension Action: WireValue {
    /// Reads an action; the word of one that is newer than this version is preserved.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        let word = try reader.string("name")
        self.init(Name(rawValue: word) ?? .other(word), availableAt: reader.value["availableAt"]?.int)
    }

    /// The action as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("name", name.rawValue)
        object.set("availableAt", availableAt)
        return object.json
    }
}

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
