import Attempts
import AuthorityStore
public import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

/// The requests of devices that wait for a person (RFC 8628 §3.3).
public struct Devices: Sendable {
    let authority: Authority

    /// The life of a device's request.
    static let life: Duration = .seconds(900)
    /// The seconds between two requests of a device, at first.
    static let interval: Int64 = 5
    /// The path of the page where a user code is typed, behind the base.
    public static let path = "/device"

    /// Finds the request that waits under a user code; every look is charged to the place it comes from.
    ///
    /// - Parameters:
    ///   - userCode: The code as it was typed.
    ///   - origin: The place of the person.
    /// - Returns: The request; nil if there is none, or its life has ended.
    /// - Throws: `limit_exceeded` with the time to wait.
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

    /// Approves a device's request by a flow that has ended with success; its authentication is used up.
    ///
    /// - Parameters:
    ///   - device: The device's request.
    ///   - id: The pending request's id.
    ///   - caller: The caller.
    /// - Throws: `interaction_required` if nothing was proved for the request, or the device does not wait any more.
    public func approve(_ device: DeviceRequest, pending id: String, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            do {
                try await authority.tokens.approve(AuthenticationGrant(pending: id), device.id, caller)
            } catch let error as StoreError {
                // The form was sent twice: the first one has approved it.
                guard error.code == .consumed else { throw error }
            }
        }
    }

    /// Approves a device's request by a live session that meets it.
    public func approve(_ device: DeviceRequest, session: String, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            try await authority.tokens.approve(
                SessionGrant(session: session, request: device.request),
                device.id,
                caller
            )
        }
    }

    /// Refuses a device's request, for good.
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

/// A device's request as it is shown to the person who decides on it (RFC 8628 §3.3).
public struct DeviceRequest: Hashable, Sendable, Codable {
    /// The id, for ``Devices/approve(_:pending:_:)`` and ``Devices/deny(_:_:)``.
    public let id: String
    /// The client's id.
    public let client: String
    /// The place that the device asked from, as audits keep it.
    public let origin: String
    /// Time of the request, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// The request, whose requirement a flow must meet.
    public let request: ResolvedRequest
}
