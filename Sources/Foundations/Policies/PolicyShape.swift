import FlowModel
public import StrictYAML

/// The schema of a policy file.
public enum PolicyShape {
    /// The keys of `policies/<id>.yaml`.
    public static let policy: Shape = .object([
        Key(
            required: "kind",
            .choice(PolicyKind.allCases.map(\.rawValue)),
            "The kind of policy."
        ),
        Key("displayName", .text(.init(maxLength: 256)), "The display name. The default is the kind in words."),
        Key("extends", .either([.choice(["none"]), .text(policyID)]), default: "none", extendsMeaning),
        Key(
            "identityProviders",
            .list(.text(providerName), count: 1...32),
            default: "[local]",
            "The identity providers: `local` is this authority, others are names of `identityProviders` in `tokenbrokerd.yaml`. If one is not configured, the policy is unavailable."
        ),
        Key(
            "signInName",
            .choice(SignInName.allCases.map(\.rawValue)),
            default: "email",
            "The kind of name that users sign in with."
        ),
        Key("attributes", .list(.object(attribute), count: 0...100), default: "[]", attributesMeaning),
        Key("predicates", predicates, default: "{}", "Conditions for values, by name."),
        Key(
            "validations",
            validations,
            default: "{}",
            "Groups of predicates, by the name that `validation` refers to."
        ),
        Key(
            "claims",
            .list(.either([.text(.init(maxLength: 64, form: "an attribute name")), .object(claim)]), count: 0...100),
            default: "[]",
            "The claims of tokens in addition to `sub` and `oid`: attributes, `newUser`, `isForgotPassword`, `identityProvider`, "
                + "`emails`, `imf.user`."
        ),
        Key("tokens", .object(tokens), "The lifetimes of tokens."),
        Key("session", .object(session), "The sessions of the policy."),
        Key("password", password, default: "{strength: strong}", "The rule for new passwords."),
        Key("signInChecks", checkNames, default: "[UserLogin]", "The checks that sign a user in, at least one."),
        Key("secondFactor", .object(secondFactor), "The second factor after the sign-in."),
        Key(
            "scopes",
            .dictionary(key: scopeName, checkNames, count: 0...1000),
            default: "{}",
            "The scopes that the policy grants, with the checks that each one requires. Other scopes are not granted."
        ),
        Key(
            "mandatoryScope",
            checkNames,
            default: "[]",
            "The checks that every token requires, regardless of its scopes."
        ),
        Key("clientScopes", clientScopes, default: "{}", clientScopesMeaning),
        Key("connectors", .object(connectors), "API connectors: calls to external services between steps."),
        Key("pages", .object(pages), "The appearance of pages."),
        Key("languages", .object(languages), "The language of texts."),
    ])

    private static let extendsMeaning =
        "Another policy, which supplies the keys that this policy omits. Mappings are merged, lists are replaced."
    private static let attributesMeaning =
        "The attributes that sign-up collects, in this order, or that a profile edit lets users change. An unlisted sign-in name comes first."

    private static let clientScopesMeaning =
        "Additional checks for scopes of particular clients, by client and scope."
    private static let clientScopes: Shape = .dictionary(
        key: clientID,
        .dictionary(key: scopeName, .list(.text(checkName), count: 1...16), count: 0...1000),
        count: 0...1000
    )

    private static let clientID = TextRule(maxLength: 128, form: "a client ID", pattern: "^[!-~]+$") {
        $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? nil : "must be a client id without spaces"
    }

    static let policyID = TextRule(
        maxLength: PolicyID.maximumLength,
        form: "a policy name",
        pattern: "^[bB]2[cC]_1_\\w+$"
    ) {
        (try? PolicyID($0)) == nil ? "names no policy: \(PolicyID.Invalid())" : nil
    }

    static let providerName = TextRule(
        maxLength: 64,
        form: "`local` or a provider name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    static let checkName = TextRule(maxLength: 64, form: "a check name", pattern: "^[A-Za-z][A-Za-z0-9_]*$") {
        $0.isName(marks: "_") ? nil : "must be letters, digits and underscores"
    }

    static let scopeName = TextRule(maxLength: 128, form: "a scope name", pattern: "^[!#-\\[\\]-~]+$") {
        // RFC 6749 §3.3 allows only these characters in a scope.
        $0.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            ? nil : "must be letters, digits and signs without a space, a quotation mark or a backslash"
    }

    static let language = TextRule(
        maxLength: 35,
        form: "a language such as `en`",
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$"
    ) {
        LanguageTag(rawValue: $0) == nil ? "must be a language such as en or pt-BR" : nil
    }

    static let checkNames: Shape = .list(.text(checkName), count: 0...16)

    private static let claim: [Key] = [
        Key(required: "name", .text(.init(maxLength: 64, form: "an attribute name")), "The attribute."),
        Key(
            "as",
            .text(
                .init(maxLength: 64, form: "a claim name", pattern: "^[A-Za-z][A-Za-z0-9_.-]*$") {
                    $0.isName(marks: "_.-") ? nil : "must be letters, digits, `_`, `.` or `-`"
                }
            ),
            "The name of the claim in tokens. The default is the standard name, such as `name` for `displayName`."
        ),
    ]
}
