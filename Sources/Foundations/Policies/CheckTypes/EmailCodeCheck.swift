import FlowModel

extension CheckType {
    /// A code that is sent to the user's e-mail address.
    public static let emailCode = CheckType(
        name: "emailCode",
        noun: "a code",
        credential: .email,
        maxAttempts: 5,
        attemptingStateExpiration: .seconds(600),
        blockedStateExpiration: .seconds(60),
        acr: "1",
        amr: ["otp"]
    )
}
