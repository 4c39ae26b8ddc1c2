import FlowModel
import Testing

struct RefusalTests {
    @Test(
        "every reason has its number",
        arguments: [
            (Refusal.Reason.interactionRequired, 1001), (.flowNotFound, 1002), (.flowFinished, 1003),
            (.staleStep, 1004), (.submissionInProgress, 1005), (.invalidAnswer, 1006), (.blocked, 1007),
            (.unmetAuthenticationRequirements, 1008), (.unsupportedStep, 1009), (.unknownPolicy, 1010),
            (.unknownCheck, 1011), (.scopeDenied, 1012), (.limitExceeded, 1013), (.providerUnavailable, 1014),
            (.providerProtocol, 1015), (.expiredStep, 1016), (.shuttingDown, 1017), (.notPermitted, 1018),
            (.accountAmbiguous, 1019), (.wrongUser, 1020), (.locked, 1021), (.unknownClient, 1022),
            (.accountNotFound, 1023), (.storageFailed, 1024),
        ]
    )
    func codes(_ reason: Refusal.Reason, _ code: Int) {
        #expect(reason.code == code)
    }
}
