public import StrictYAML

/// A policy that an external authority runs, with its local id and display name.
public struct OutsidePolicy: Hashable, Sendable {
    /// The kind that lists show for policies that external authorities run.
    public static let kind = "outside"

    /// The local policy id.
    public let id: PolicyID
    /// The name that users see.
    public let displayName: String
    /// The name of the authority in the configuration.
    public let authority: String
    /// The name by which the authority knows the policy.
    public let policy: String
}

extension OutsidePolicy {
    init(id: PolicyID, _ node: YAMLNode, problems: inout [Problem]) {
        let file = PolicyShape.outside.read(node, problems: &problems)
        self.init(
            id: id,
            displayName: file["displayName"].optionalText ?? "Sign in with \(file["authority"].text)",
            authority: file["authority"].text,
            policy: file["policy"].text
        )
    }
}

extension PolicyShape {
    /// The schema of a policy that an external authority runs.
    public static let outside: Shape = .object([
        Key(required: "authority", .text(authorityName), "The name of one of `authorities`, of kind `b2c`."),
        Key(required: "policy", .text(nameThere), "The name of the policy at the authority."),
        Key(
            "displayName",
            .text(.init(maxLength: 256)),
            "The display name. The default contains the name of the authority."
        ),
    ])

    private static let authorityName = TextRule(
        maxLength: 64,
        form: "an authority name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    private static let nameThere = TextRule(
        maxLength: 128,
        form: "a policy name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$"
    ) {
        $0.isName(marks: "_-", digitFirst: true) ? nil : "must be letters, digits, hyphens and underscores"
    }
}

/// The part of an external authority's URLs that contains the policy name.
public enum PolicyPlace: String, Hashable, Sendable, CaseIterable {
    /// The URL path, in which the policy name comes between the issuer and the endpoint's path.
    case path
    /// The URL query, in which the policy name is the value of the parameter `p`.
    case query
}
