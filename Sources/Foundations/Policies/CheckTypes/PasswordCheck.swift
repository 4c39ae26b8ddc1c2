import FlowModel

extension CheckType {
    /// The user's password.
    public static let password = CheckType(
        name: "password",
        noun: "a password",
        credential: .password,
        maxAttempts: 3,
        attemptingStateExpiration: .seconds(120),
        blockedStateExpiration: .seconds(10),
        acr: "1",
        amr: ["pwd"]
    )
}
