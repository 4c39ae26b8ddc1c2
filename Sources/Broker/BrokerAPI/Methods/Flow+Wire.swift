public import FlowModel
public import OAuth

extension Flow: WireValue {
    /// Reads a flow from JSON.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        self.init(
            id: try reader.one("id"),
            rev: try reader.one("rev"),
            policy: try reader.one("policy"),
            state: try FlowState(word: reader.one("state"), reason: reader.value["reason"]?.string),
            expiresAt: try reader.one("expiresAt"),
            stepExpiresAt: reader.value["stepExpiresAt"]?.int,
            want: try reader.optional("want") ?? Want(),
            step: try reader.optional("step"),
            retryAfterMs: reader.value["retryAfterMs"]?.int
        )
        account = reader.value["account"]?.string
        message = reader.value["message"]?.string
        userIdentity = reader.value["userIdentity"].flatMap(ExternalIdentity.init(claim:))
        openedBy = LinkOpener(reader.value["openedBy"])
        browser = BrowserPlace(browser: reader.value["browser"]) ?? BrowserPlace(device: reader.value["device"])
    }

    /// The flow as a JSON object.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("id", id)
        object.set("rev", rev)
        object.set("policy", policy)
        object.set("state", state.name)
        if case .failed(let reason) = state { object.set("reason", reason.rawValue) }
        object.set("expiresAt", expiresAt)
        object.set("stepExpiresAt", stepExpiresAt)
        object.set("want", want)
        object.set("step", step)
        object.set("retryAfterMs", retryAfterMs)
        browser?.write(to: &object)
        object.set("account", account)
        object.set("message", message)
        object.set("userIdentity", userIdentity?.claim)
        object.set("openedBy", openedBy?.json)
        return object.json
    }
}

extension Flow.Want: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(scopes:acrValues:maxAge:),
        Member("scopes", \.scopes),
        Member("acr", \.acrValues, unless: []),
        Member("maxAge", optional: \.maxAge)
    )
}

/// In JSON, the page is the member `device` (RFC 8628 §3.2) if the user must type a code there, or else `browser`.
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
            object.set("uid", uid)
            object.set("user", name)
        case .address(let address): object.set("address", address)
        }
        return object.json
    }
}

extension FlowState {
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

extension Step: WireObject {
    /// The JSON members, of which `nodes` tells the client what to display even if it does not know the step's type.
    public static let wire = WireMembers(
        Self.init(id:type:check:title:nodes:attempts:messages:actions:data:),
        Member("id", \.id),
        Member("type", \.type),
        Member("check", optional: \.check),
        Member("title", \.title, or: ""),
        Member("nodes", \.nodes),
        Member("attempts", optional: \.attempts),
        Member("messages", \.messages),
        Member("actions", \.actions),
        Member("data", optional: \.data)
    )
}

extension Action: WireObject {
    /// The JSON members, which preserve the action's name even if this version does not know the action.
    public static let wire = WireMembers(
        { Self(Name(rawValue: $0) ?? .other($0), availableAt: $1) },
        Member("name", \.name.rawValue),
        Member("availableAt", optional: \.availableAt)
    )
}

extension Node: WireObject {
    /// The JSON members, where a `kind` that this version does not know is read as `text`.
    public static let wire = WireMembers(
        Self.init,
        Member("name", \.name),
        Member("kind", \.kind, or: .text),
        Member(
            name: "label",
            read: { (node) throws(UnreadableAnswer) in
                let label: String? = try node.optional("label")
                return if let label { label } else { try node.one("name") }
            },
            write: { $0.label.json }
        ),
        Member("required", \.required, or: false),
        Member("value", optional: \.shown),
        Member("minLength", optional: \.minLength),
        Member("maxLength", optional: \.maxLength),
        Member("pattern", optional: \.pattern),
        Member("options", optional: \.options),
        Member("optionLabels", optional: \.optionLabels),
        Member("input", optional: \.input),
        Member("minimum", optional: \.minimum),
        Member("maximum", optional: \.maximum),
        Member("hint", optional: \.hint)
    )

    /// The node's value as written to JSON, or `nil` for secrets and codes, whose values are never written.
    private var shown: String? { kind == .secret || kind == .code ? nil : value }
}

extension AttemptsLeft: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        { remaining, max, _ in Self(remaining: remaining, max: max) },
        Member("remaining", \.remaining),
        Member("max", \.max),
        Member("last", \.isLast, or: false)
    )
}

extension Message: WireObject {
    /// The JSON members, where a `level` that this version does not know is read as `info`.
    public static let wire = WireMembers(
        Self.init(code:level:text:node:),
        Member("code", \.code),
        Member("level", \.level, or: .info),
        Member("text", \.text, or: ""),
        Member("node", optional: \.node)
    )
}

extension NodeProblem: WireObject {
    /// The JSON members, where a `code` that this version does not know is read as `malformed`.
    public static let wire = WireMembers(
        Self.init(name:code:text:rule:),
        Member("name", \.name),
        Member("code", \.code, or: .malformed),
        Member("text", \.text, or: ""),
        Member("rule", optional: \.rule)
    )
}

extension StepType: WireWord {}
extension Node.Kind: WireWord {}
extension Node.Input: WireWord {}
extension NodeProblem.Code: WireWord {}
extension Message.Level: WireWord {}
