public import FlowModel
public import OAuth

/// A flow as it stands on the wire.
///
/// It exists beside ``FlowModel/Flow`` because a client may meet steps and actions newer than itself: those are words
/// here, and a step of an unknown type is answered by its nodes.
public struct FlowDocument: WireValue, Hashable {
    /// The flow's id.
    public let id: String
    /// The revision; it rises with every change.
    public let rev: Int64
    /// The policy that runs.
    public let policy: String
    /// The state.
    public let state: FlowState
    /// The end of the flow's life, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// The end of the open step, in milliseconds since 1970 UTC.
    public let stepExpiresAt: Int64?
    /// The demands that the flow was started with.
    public let want: Flow.Want
    /// The one open step.
    public let step: StepDocument?
    /// Milliseconds after which to try again, if the flow failed as blocked.
    public let retryAfterMs: Int64?
    /// The place where a browser continues it; in the answer to a request of `mode: browser` or `device` only.
    public let browser: BrowserPlace?
    /// The account of who signed in elsewhere; in the answer of `flow.wait` to a flow that has succeeded.
    public let account: String?
    /// The sentence that ended it, where a service that its policy asks has turned the person away.
    public let message: String?
    /// The word of a custom identity provider about the person, `{id, displayName, authBy, attributes}`; in a flow that has
    /// asked one and has succeeded.
    public let userIdentity: JSONValue?
    /// The other user, or the machine, whose browser opened the flow's link; nil if only browsers of its owner did.
    public let openedBy: LinkOpener?

    /// The flow as it is shown.
    public init(_ flow: Flow) {
        id = flow.id
        rev = Int64(flow.rev)
        policy = flow.policy
        state = flow.state
        expiresAt = flow.expiresAt
        stepExpiresAt = flow.stepExpiresAt
        want = flow.want
        step = flow.step.map(StepDocument.init)
        retryAfterMs = flow.retryAfterMs
        browser = flow.browser
        account = flow.account
        message = flow.message
        userIdentity = flow.userIdentity?.claim
        openedBy = flow.openedBy
    }

    /// Reads a flow.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        id = try reader.string("id")
        rev = try reader.int("rev")
        policy = try reader.string("policy")
        state = try FlowState(word: reader.string("state"), reason: reader.value["reason"]?.string)
        expiresAt = try reader.int("expiresAt")
        stepExpiresAt = reader.value["stepExpiresAt"]?.int
        let want = reader.value["want"]
        self.want = Flow.Want(
            scopes: want?["scopes"]?.strings ?? [],
            acrValues: want?["acr"]?.strings ?? [],
            maxAge: want?["maxAge"]?.int
        )
        step = try reader.optional("step")
        retryAfterMs = reader.value["retryAfterMs"]?.int
        account = reader.value["account"]?.string
        message = reader.value["message"]?.string
        userIdentity = reader.value["userIdentity"]
        openedBy = LinkOpener(reader.value["openedBy"])
        browser = BrowserPlace(browser: reader.value["browser"]) ?? BrowserPlace(device: reader.value["device"])
    }

    /// The flow as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("id", id)
        object.set("rev", rev)
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
        object.set("userIdentity", userIdentity)
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
