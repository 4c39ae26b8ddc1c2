import FlowModel

extension CheckType {
    /// A code from the user's authenticator app (RFC 6238), or one of the user's recovery codes.
    public static let totp = CheckType(
        name: "totp",
        noun: "an authenticator",
        credential: .totp,
        maxAttempts: 5,
        attemptingStateExpiration: .seconds(120),
        blockedStateExpiration: .seconds(60),
        acr: "2",
        amr: ["otp"],
        isEnrolled: true
    )
}
