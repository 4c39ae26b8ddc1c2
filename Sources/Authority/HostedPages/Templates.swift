import Mustache

enum Templates {
    static func render(_ name: String, _ values: TemplateValue) -> String {
        library.render(values.plain, withTemplate: name) ?? ""
    }

    static let sources: [String: String] = [
        "layout": text(PackageResources.layout_mustache),
        "card": text(PackageResources.card_mustache),
        "foot": text(PackageResources.foot_mustache),
        "step": text(PackageResources.step_mustache),
        "decision": text(PackageResources.decision_mustache),
        "words": text(PackageResources.words_mustache),
        "device": text(PackageResources.device_mustache),
        "account": text(PackageResources.account_mustache),
        "answer": text(PackageResources.answer_mustache),
        "notice": text(PackageResources.notice_mustache),
        "error": text(PackageResources.error_mustache),
        "field": text(PackageResources.field_mustache),
        "input": text(PackageResources.input_mustache),
        "secret": text(PackageResources.secret_mustache),
        "select": text(PackageResources.select_mustache),
        "textarea": text(PackageResources.textarea_mustache),
        "radios": text(PackageResources.radios_mustache),
        "readonly": text(PackageResources.readonly_mustache),
        "tick": text(PackageResources.tick_mustache),
        "ticks": text(PackageResources.ticks_mustache),
        "fact": text(PackageResources.fact_mustache),
        "link": text(PackageResources.link_mustache),
        "note": text(PackageResources.note_mustache),
        "hidden": text(PackageResources.hidden_mustache),
    ]

    private static let library = MustacheLibrary(
        templates: sources.compactMapValues { try? MustacheTemplate(string: $0) }
    )

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
