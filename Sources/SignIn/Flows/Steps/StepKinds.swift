import FlowModel

/// The kinds of steps that a flow can open.
enum StepKinds {
    /// All kinds, in the order in which they become due.
    ///
    /// To add a kind, write one file and add one line here.
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

    /// Returns the kind with the given type, or `nil` if there is none.
    static func named(_ type: StepType) -> (any StepKind)? { all.first { $0.type == type } }
}

/// The kinds of credentials that a flow can set.
enum CredentialKinds {
    /// All kinds.
    ///
    /// To add a kind, write one file and add one line here.
    static let all: [any CredentialKind] = [PINCredential(), TOTPCredential(), PasswordCredential()]

    /// Returns the kind for an enrolled credential, or `nil` for a credential that users do not enrol.
    static func enrolled(_ credential: Credential) -> (any EnrolledCredentialKind)? {
        all.first { $0.credential == credential } as? any EnrolledCredentialKind
    }
}

/// A kind of step as it is stored.
///
/// It is written as the type of the step, and can only be read if there is a kind with that type.
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
