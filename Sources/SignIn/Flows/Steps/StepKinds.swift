import FlowModel

/// The kinds of steps that flows open.
enum StepKinds {
    /// All kinds, in the order in which a flow gives them their turn: one file and one line each.
    static let all: [any StepKind] = [
        AttributesStep(),
        NewPasswordStep(),
        CodeStep(),
        ProviderStep(),
        IdentifierStep(),
        PasswordStep(),
        ExternalStep(),
        AssertionStep(),
        PinStep(),
        PinSetupStep(),
        ProfileStep(),
        TOTPStep(),
        TOTPSetupStep(),
        RecoveryCodesStep(),
        ConsentStep(),
    ]

    /// The kind with a word, if there is one.
    static func named(_ type: StepType) -> (any StepKind)? { all.first { $0.type == type } }
}

/// The kinds of credentials that flows set.
enum CredentialKinds {
    /// All kinds: one file and one line each.
    static let all: [any CredentialKind] = [PINCredential(), TOTPCredential(), PasswordCredential()]

    /// The kind of a credential that people enrol.
    static func enrolled(_ credential: Credential) -> (any EnrolledCredentialKind)? {
        all.first { $0.credential == credential } as? any EnrolledCredentialKind
    }
}

/// A kind of step as a flow's state holds it: written as its word, and read only as a kind that exists.
struct StoredStepKind: Codable, Hashable {
    let kind: any StepKind

    init(_ kind: any StepKind) {
        self.kind = kind
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let type = try container.decode(StepType.self)
        guard let kind = StepKinds.named(type) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "no step is of type \(type.rawValue)"
            )
        }
        self.kind = kind
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kind.type)
    }

    static func == (a: StoredStepKind, b: StoredStepKind) -> Bool { a.kind.type == b.kind.type }

    func hash(into hasher: inout Hasher) { hasher.combine(kind.type) }
}
