# The platform's library for Ruby, for the mode `objects` only. ../PROGRAMS.md has the protocol. STRIPE_RUBY names the folder of the library.
$LOAD_PATH.unshift(File.join(ENV.fetch("STRIPE_RUBY"), "lib"))
require "json"
require "stripe"

relay = ENV.fetch("CLIENT_BASE_URL")
# As infra/docs/compat.md says it.
Stripe.api_base = relay
Stripe.connect_base = relay
Stripe.uploads_base = relay
Stripe.meter_events_base = relay
Stripe.api_key = ENV.fetch("CLIENT_SECRET_KEY")
# Without one the library does not even try what belongs to connected accounts.
Stripe.client_id = "ca_none"
Stripe.max_network_retries = 0

def arguments_of(method, object)
  method.parameters.select { |kind, _| kind == :req }.map do |_, name|
    case name.to_s
    when "params", "opts" then {}
    when "id" then object.respond_to?(:id) ? object.id : "none"
    else "none"
    end
  end
end

# Whatever the relay answers is fine. A call that goes elsewhere, where nobody can be reached, is not.
def call(name)
  yield
rescue Stripe::APIConnectionError => e
  abort("#{name}: #{e.message}")
rescue StandardError
  # The relay's refusal, or an argument that the library itself does not take.
ensure
  puts(JSON.generate(called: name))
end

# Attributes take nothing.
def calls_of(receiver, names)
  names.map { |name| receiver.method(name) }.select do |method|
    method.parameters.any? && !method.name.to_s.match?(/\A_|=\z|_url\z|\Arequest_stripe_object\z|\Asave_with_parent\z|nested_resource|\Acustom_method\z|\Aexecute_resource/)
  end
end

intents = Array.new(3) { Stripe::PaymentIntent.create(amount: 1250, currency: "eur") }
endpoint = Stripe::WebhookEndpoint.create(url: ENV.fetch("CLIENT_HOOK_URL"), enabled_events: ["*"])
objects = [
  intents.last,
  Stripe::Charge.construct_from({ id: "ch_none", object: "charge" }),
  Stripe::Refund.construct_from({ id: "re_none", object: "refund" }),
  Stripe::Event.list(limit: 1).data.first,
  Stripe::PaymentIntent.list(limit: 1),
  Stripe::Account.retrieve,
  endpoint,
]
plain = Stripe::StripeObject.public_instance_methods
objects.each do |object|
  kind = object.class
  offered = (kind.public_instance_methods - plain).select { |name| object.respond_to?(name) }
  calls_of(object, offered).each { |method| call("#{kind}##{method.name}") { method.call(*arguments_of(method, object)) { |_| } } }
  call("#{kind}#refresh") { object.refresh } if object.respond_to?(:refresh)
  calls_of(kind, kind.singleton_methods - Stripe::StripeObject.singleton_methods).each do |method|
    call("#{kind}.#{method.name}") { method.call(*arguments_of(method, object)) }
  end
end
