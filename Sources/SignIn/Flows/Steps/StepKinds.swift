import FlowModel

enum StepKinds {
    /// All kinds of steps, in the order in which they become due.
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

    static func named(_ type: StepType) -> (any StepKind)? { all.first { $0.type == type } }
}

enum CredentialKinds {
    static let all: [any CredentialKind] = [PINCredential(), TOTPCredential(), PasswordCredential()]

    static func enrolled(_ credential: Credential) -> (any EnrolledCredentialKind)? {
        all.first { $0.credential == credential } as? any EnrolledCredentialKind
    }
}

/// A wrapper that encodes a step kind as the name of its step type.
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
                debugDescription: "no step has the type \(type.rawValue)"
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
