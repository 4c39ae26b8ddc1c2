import Attempts
import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

/// The device requests that are waiting for a user's decision (RFC 8628 §3.3).
public struct Devices: Sendable {
    let authority: Authority

    static let life: Duration = .seconds(900)
    /// The initial polling interval of a device, in seconds.
    static let interval: Int64 = 5
    /// The path of the page on which users type a user code, relative to the base URL.
    public static let path = "/device"

    /// Returns the waiting device request with this user code, or `nil` if the code is unknown or has expired.
    ///
    /// - Throws: `limit_exceeded`, with the time to wait, after too many lookups from the origin, successful or not.
    public func find(userCode: String, from origin: Origin) async throws -> DeviceRequest? {
        try await Authority.rows.storing {
            try await authority.attempts.chargeUserCode(origin: origin)
            guard let code = UserCode.canonical(userCode),
                let row = try await authority.store.deviceCodes.find(userCode: code)
            else { return nil }
            return DeviceRequest(
                id: row.hash,
                client: row.client,
                origin: row.origin,
                asked: row.expires.wall - Self.life.milliseconds,
                request: try JSONDecoder().decode(ResolvedRequest.self, from: row.body)
            )
        }
    }

    /// Approves a device after a successful flow, and consumes the authentication that the flow stored.
    ///
    /// - Throws: `interaction_required` if no authentication is stored, or if the device is no longer waiting.
    public func approve(_ device: DeviceRequest, pending id: String, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            do {
                try await authority.tokens.approve(AuthenticationGrant(pending: id), device.id, caller)
            } catch let error as StoreError {
                // If the form was submitted twice, the first submission has already approved the device.
                guard error.code == .consumed else { throw error }
            }
        }
    }

    /// Approves a device on the basis of a live session that satisfies the device's request.
    public func approve(_ device: DeviceRequest, session: String, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            try await authority.tokens.approve(
                SessionGrant(session: session, request: device.request),
                device.id,
                caller
            )
        }
    }

    /// Denies a device's request, which cannot be approved later.
    public func deny(_ device: DeviceRequest, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            let event = AuditEvent(
                .consentDenied,
                by: caller,
                client: device.client,
                policy: device.request.policy.description,
                detail: ["grant": DeviceCodeGrant.name]
            )
            try await authority.store.deviceCodes.deny(device.id, events: [event])
        }
    }
}

/// A device's request, as shown to the user who approves or denies the device (RFC 8628 §3.3).
public struct DeviceRequest: Hashable, Sendable, Codable {
    /// The id of the device's request.
    public let id: String
    /// The client's id (`client_id`).
    public let client: String
    /// The origin of the device's request, as stored in audit events.
    public let origin: String
    /// When the device sent the request, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// The token request that a flow must satisfy.
    public let request: ResolvedRequest
}
