package import FlowModel
import Moments

/// The difference between a provider's clock and the clock of this machine.
package struct ClockDifference: Hashable, Sendable {
    /// The difference from which on tokens are rejected, in seconds.
    package static let most = IDTokenChecks.leeway

    /// The time of the provider minus the time of this machine, in seconds.
    package let seconds: Int64
    /// The provider's display name.
    package let provider: String

    /// Whether the clocks differ so much that tokens are rejected.
    package var isTooLarge: Bool { seconds.magnitude > UInt64(Self.most) }

    /// The message for the caller, in English and as a catalog message.
    package var said: EnglishText {
        EnglishText(
            "The clock of this machine differs from the clock of \(provider) by \(seconds.magnitude) s. Synchronize the clock of this machine.",
            "failure.provider.clock",
            ["provider": provider, "seconds": "\(seconds.magnitude)"]
        )
    }
}

extension OpenIDClient {
    /// Reads a provider's metadata again, and returns the difference between the clocks, or `nil` if it is unknown.
    package func clockDifference(to registration: ProviderRegistration) async throws(ProviderError) -> ClockDifference?
    {
        let metadata = try await calling(registration) { () async throws(ProviderError) in
            await self.documents.forget(registration)
            return try await self.documents.metadata(of: registration)
        }
        return metadata.sentAt.map {
            ClockDifference(seconds: $0 - clock.now.seconds, provider: registration.displayName)
        }
    }
}
