#include "commands.h"

/* Counts that were read may be written over, by whatever comes next. To have them read next is
   dear: their reader is far ahead of the kernels, and a barrier that holds it up takes an H200 3.8
   us in place of 1.9. */
void record_barrier(const struct vk *vk, bool reads_counts, VkCommandBuffer commands)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         (reads_counts ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : 0),
    };
    vk->CmdPipelineBarrier(commands, work | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                           work | (reads_counts ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT : 0), 0, 1,
                           &barrier, 0, NULL, 0, NULL);
}

void record_host_barrier(const struct vk *vk, VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vk->CmdPipelineBarrier(commands,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                           VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

void record_copy(const struct vk *vk, struct chunk *from, uint64_t from_at, struct chunk *to,
                 uint64_t to_at, uint64_t bytes, VkCommandBuffer commands)
{
    while (bytes) {
        struct chunk_place a = chunk_place(from, from_at), b = chunk_place(to, to_at);
        uint64_t part = a.left < b.left ? a.left : b.left;
        VkBufferCopy region = {
            .srcOffset = a.offset, .dstOffset = b.offset, .size = part < bytes ? part : bytes};
        vk->CmdCopyBuffer(commands, a.piece->block->buffer, b.piece->block->buffer, 1, &region);
        from_at += region.size, to_at += region.size, bytes -= region.size;
    }
}
