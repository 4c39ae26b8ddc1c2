public import StrictYAML

/// A policy of an outside authority under a name of this one: whoever names it signs in there.
public struct OutsidePolicy: Hashable, Sendable {
    /// The kind that lists show: it is none of ours.
    public static let kind = "outside"

    /// The name here.
    public let id: PolicyID
    /// The name to show.
    public let displayName: String
    /// The authority's name in the configuration.
    public let authority: String
    /// The policy's name there.
    public let policy: String
}

extension OutsidePolicy {
    /// Reads a file that names an authority; the problems tell what is missing.
    init(id: PolicyID, _ node: YAMLNode, problems: inout [Problem]) {
        let file = PolicyShape.outside.read(node, problems: &problems)
        self.init(
            id: id,
            displayName: file["displayName"].optionalText ?? "Sign in at \(file["authority"].text)",
            authority: file["authority"].text,
            policy: file["policy"].text
        )
    }
}

extension PolicyShape {
    /// Every key of a policy that an outside authority runs.
    public static let outside: Shape = .object([
        Key(required: "authority", .text(authorityName), "The name of one of `authorities`, of kind `b2c`."),
        Key(required: "policy", .text(nameThere), "The policy's name there."),
        Key(
            "displayName",
            .text(.init(maxLength: 256)),
            "What people see it called; if left out, its authority's name."
        ),
    ])

    private static let authorityName = TextRule(
        maxLength: 64,
        form: "an authority's name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    private static let nameThere = TextRule(
        maxLength: 128,
        form: "a policy's name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$"
    ) {
        $0.isName(marks: "_-", digitFirst: true) ? nil : "must be letters, digits, hyphens and underscores"
    }
}

/// The ways in which the addresses of an outside authority name one of its policies.
public enum PolicyPlace: String, Hashable, Sendable, CaseIterable {
    /// Before what they have in common.
    case path
    /// As `?p=`.
    case query
}
